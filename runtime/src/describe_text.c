/* SPDX-License-Identifier: MIT */
/* describe_text.c - the text of a description from the table of parts, and the public calls. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "cartgen/describe.h"
#include "describe_internal.h"

#define MOST_LOCALS 150 /* Lua allows 200 a function */
#define HEIGHT_STEP 20  /* a local at least every so many levels: Lua reads 200 nested ones */
#define LINE_COLUMNS 96

static const char *const words[] = {
    [CG_CONTIGUOUS] = "contiguous",
    [CG_VECTOR] = "vector",
    [CG_HVECTOR] = "hvector",
    [CG_INDEXED] = "indexed",
    [CG_HINDEXED] = "hindexed",
    [CG_INDEXED_BLOCK] = "indexed_block",
    [CG_HINDEXED_BLOCK] = "hindexed_block",
    [CG_STRUCT] = "struct",
    [CG_SUBARRAY] = "subarray",
    [CG_RESIZED] = "resized",
};

typedef struct text {
    char *chars;
    size_t length, capacity;
    size_t line; /* where the current line begins */
    int failed;
} text;

static void put_chars(text *out, const char *chars, size_t n)
{
    if (out->failed)
        return;
    if (out->length + n + 1 > out->capacity) {
        size_t capacity = 2 * (out->length + n) + 256;
        char *more = cg_alloc(capacity, 1);
        if (more == NULL) {
            out->failed = 1;
            return;
        }
        if (out->length > 0)
            memcpy(more, out->chars, out->length);
        cg_free(out->chars);
        out->chars = more;
        out->capacity = capacity;
    }
    memcpy(out->chars + out->length, chars, n);
    out->length += n;
    out->chars[out->length] = '\0';
}

/* At most 127 characters, names aside. */
static void put(text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(text *out, const char *format, ...)
{
    char piece[128];
    va_list args;
    va_start(args, format);
    vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    put_chars(out, piece, strlen(piece));
}

static void put_line(text *out, int indent)
{
    put_chars(out, "\n", 1);
    out->line = out->length;
    for (int i = 0; i < indent; i++)
        put_chars(out, " ", 1);
}

/* INT64_MIN cannot be written as one number in Lua. */
static void put_number(text *out, int64_t value)
{
    if (value == INT64_MIN)
        put(out, "-9223372036854775807 - 1");
    else
        put(out, "%lld", (long long)value);
}

/* { 1, 2, 3 } on as many lines as are needed. */
static void put_list(text *out, const int64_t list[], int n, int indent)
{
    put(out, n == 0 ? "{" : "{ ");
    for (int i = 0; i < n; i++) {
        if (i > 0 && out->length - out->line > LINE_COLUMNS - 12)
            put_line(out, indent + 2);
        put_number(out, list[i]);
        put(out, i + 1 < n ? (out->length - out->line > LINE_COLUMNS - 13 ? "," : ", ") : " ");
    }
    put(out, "}");
}

static void put_local(text *out, int number)
{
    put(out, number <= MOST_LOCALS ? "t%d" : "t[%d]", number);
}

static void put_part(text *out, const cg_table *t, const cg_part *p, int indent);

/* A child where it is used: its local, or the constructor. */
static void put_use(text *out, const cg_table *t, int index, int indent)
{
    const cg_part *p = &t->parts[index];
    if (p->local > 0)
        put_local(out, p->local);
    else
        put_part(out, t, p, indent);
}

static void put_struct(text *out, const cg_table *t, const cg_part *p, int indent)
{
    put(out, "struct {");
    for (int i = 0; i < p->nchildren; i++) {
        put_line(out, indent + 2);
        put(out, "{ ");
        put_use(out, t, p->children[i], indent + 2);
        put(out, ", ");
        put_number(out, p->args[i]);
        put(out, ", %lld },", (long long)p->args[p->nchildren + i]);
    }
    if (p->nchildren > 0)
        put_line(out, indent);
    put(out, "}");
}

static void put_subarray(text *out, const cg_table *t, const cg_part *p, int indent)
{
    static const char *const fields[] = {"sizes", "subsizes", "starts"};
    int n = (p->nargs - 1) / 3;
    put(out, "subarray {");
    for (int f = 0; f < 3; f++) {
        put_line(out, indent + 2);
        put(out, "%s = ", fields[f]);
        put_list(out, p->args + 1 + f * n, n, indent + 2);
        put(out, ",");
    }
    put_line(out, indent + 2);
    put(out, "order = \"%s\",", p->args[0] ? "Fortran" : "C");
    put_line(out, indent + 2);
    put(out, "type = ");
    put_use(out, t, p->children[0], indent + 2);
    put(out, ",");
    put_line(out, indent);
    put(out, "}");
}

static void put_args(text *out, const cg_part *p, int indent)
{
    const int64_t *a = p->args;
    int half = p->nargs / 2;
    switch (p->kind) {
    case CG_INDEXED:
    case CG_HINDEXED:
        put_list(out, a, half, indent);
        put(out, ", ");
        put_list(out, a + half, half, indent);
        put(out, ", ");
        break;
    case CG_INDEXED_BLOCK:
    case CG_HINDEXED_BLOCK:
        put_number(out, a[0]);
        put(out, ", ");
        put_list(out, a + 1, p->nargs - 1, indent);
        put(out, ", ");
        break;
    default:
        for (int i = 0; i < p->nargs; i++) {
            put_number(out, a[i]);
            put(out, ", ");
        }
    }
}

static void put_part(text *out, const cg_table *t, const cg_part *p, int indent)
{
    if (p->kind == CG_BASIC) {
        put(out, "%s", p->word);
    } else if (p->kind == CG_STRUCT) {
        put_struct(out, t, p, indent);
    } else if (p->kind == CG_SUBARRAY) {
        put_subarray(out, t, p, indent);
    } else {
        const cg_part *child = &t->parts[p->children[0]];
        put(out, "%s(", words[p->kind]);
        put_args(out, p, indent);
        if (child->kind != CG_BASIC && child->local == 0) {
            out->length -= out->length > 0; /* the space before a new line */
            put_line(out, indent + 2);
        }
        put_use(out, t, p->children[0], indent + 2);
        put(out, ")");
    }
}

/* Only what `root` needs is printed: parts under a replaced bound may be left behind. */
static void count_uses(cg_table *t, int root)
{
    for (int i = 0; i < t->count; i++)
        t->parts[i].uses = 0;
    t->parts[root].uses = 1;
    for (int i = root; i >= 0; i--)
        for (int k = 0; t->parts[i].uses > 0 && k < t->parts[i].nchildren; k++)
            t->parts[t->parts[i].children[k]].uses++;
}

static void choose_locals(cg_table *t, int root)
{
    count_uses(t, root);
    for (int i = 0; i < root; i++) {
        cg_part *p = &t->parts[i];
        if (p->kind != CG_BASIC && p->uses > 0 &&
            (p->uses > 1 || p->height % HEIGHT_STEP == HEIGHT_STEP - 1))
            p->local = ++t->locals;
    }
}

static void put_layout(text *out, cg_table *t, int root, const char *name)
{
    choose_locals(t, root);
    int indent = t->locals > 0 ? 2 : 0;
    if (t->locals > 0)
        put(out, "do");
    if (t->locals > MOST_LOCALS) {
        put_line(out, indent);
        put(out, "local t = {}");
    }
    for (int i = 0; i < root; i++) {
        const cg_part *p = &t->parts[i];
        if (p->local == 0)
            continue;
        put_line(out, indent);
        put(out, p->local <= MOST_LOCALS ? "local " : "");
        put_local(out, p->local);
        put(out, " = ");
        put_part(out, t, p, indent);
    }
    if (t->locals > 0)
        put_line(out, indent);
    put(out, "layout \"");
    put_chars(out, name, strlen(name));
    put(out, "\" {");
    put_line(out, indent + 2);
    put(out, "type = ");
    put_part(out, t, &t->parts[root], indent + 2);
    put(out, ",");
    put_line(out, indent);
    put(out, "}");
    if (t->locals > 0) {
        put_line(out, 0);
        put(out, "end");
    }
    put(out, "\n");
}

/* ------------------------------------------------------------------ calls */

static int is_identifier(const char *name)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        return 0;
    for (const char *c = name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return 0;
    return 1;
}

static cartgen_status check_arguments(MPI_Datatype type, const char *name, const void *out)
{
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (!initialized || finalized)
        return cg_fail(CARTGEN_ERR_STATE, "MPI is %s", finalized ? "finalized" : "not initialized");
    if (type == MPI_DATATYPE_NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "the type is MPI_DATATYPE_NULL");
    if (name == NULL || !is_identifier(name))
        return cg_fail(CARTGEN_ERR_ARGUMENT, "the name of a layout is '%.80s', expected a C identifier",
                       name == NULL ? "NULL" : name);
    if (out == NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "there is nowhere to write the description to (NULL)");
    return CARTGEN_OK;
}

cartgen_status cartgen_mpi_describe_text(MPI_Datatype type, const char *name, char **text_p)
{
    cg_table t = {0};
    text out = {0};
    int root = 0;
    cartgen_status status = check_arguments(type, name, text_p);
    if (status != CARTGEN_OK)
        return status;
    status = cg_describe_read(&t, type, &root);
    if (status == CARTGEN_OK) {
        put_layout(&out, &t, root, name);
        if (out.failed) {
            cg_free(out.chars);
            status = cg_describe_out_of_memory();
        } else {
            *text_p = out.chars;
        }
    }
    cg_describe_release(&t);
    return status;
}

void cartgen_mpi_describe_free(char *text)
{
    cg_free(text);
}

cartgen_status cartgen_mpi_describe(MPI_Datatype type, const char *name, FILE *out)
{
    char *made = NULL;
    cartgen_status status = check_arguments(type, name, out);
    if (status == CARTGEN_OK)
        status = cartgen_mpi_describe_text(type, name, &made);
    if (status != CARTGEN_OK)
        return status;
    if (fputs(made, out) == EOF || fflush(out) == EOF)
        status = cg_fail(CARTGEN_ERR_ARGUMENT, "the description cannot be written: %s", strerror(errno));
    cg_free(made);
    return status;
}
