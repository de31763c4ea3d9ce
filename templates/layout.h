/* SPDX-License-Identifier: MIT */

#ifdef __cplusplus
extern "C" {
#endif

/* @NAME@: @SUMMARY@ */
@PARAMS@
@ARRAYS@
typedef struct @NAME@_layout {
@STATE@
} @NAME@_layout;

/* Makes the layout for these parameters; everything slow happens here, and params and its lists
 * may go when it returns. Errors: cartgen_last_error(); the layout is then empty. */
cartgen_status @NAME@_init(@NAME@_layout *layout, const @NAME@_params *params);
void @NAME@_free(@NAME@_layout *layout);

/* Bytes of the type as MPI_Type_size, MPI_Type_get_extent, MPI_Type_get_true_extent give them. */
int64_t @NAME@_size(const @NAME@_layout *layout);
int64_t @NAME@_lb(const @NAME@_layout *layout);
int64_t @NAME@_extent(const @NAME@_layout *layout);
int64_t @NAME@_true_lb(const @NAME@_layout *layout);
int64_t @NAME@_true_extent(const @NAME@_layout *layout);

/* All bytes of the type, in its order, to packed[size] and back; from one layout to the other. */
void @NAME@_pack(const @NAME@_layout *layout, void *packed, const @MEMORY@ *from);
void @NAME@_unpack(const @NAME@_layout *layout, @INTO@ *to, const void *packed);
void @NAME@_copy(const @NAME@_layout *layout, @INTO@ *to, const @MEMORY@ *from);
/* `bytes` bytes from byte `first` of the packed ones on, at packed[0]; what is past the end is left. */
void @NAME@_pack_range(const @NAME@_layout *layout, void *packed, const @MEMORY@ *from,
                       int64_t first, int64_t bytes);
void @NAME@_unpack_range(const @NAME@_layout *layout, @INTO@ *to, const void *packed,
                         int64_t first, int64_t bytes);
/* 1: the packed bytes lie side by side from byte *at_p of `from` (of `to`) on, they need not be packed. 0: they do
 * not, or were not found to; *at_p is left alone. */
int @NAME@_pack_contiguous(const @NAME@_layout *layout, int64_t *at_p);
int @NAME@_unpack_contiguous(const @NAME@_layout *layout, int64_t *at_p);
/* Tells a visitor (cartgen.h) where the packed bytes lie in `from` (in `to`), in their order. 0: cannot be told, as of
 * types over several arrays, with lists known at run time, or of very many parts; the visitor was not called. */
int @NAME@_pack_visit(const @NAME@_layout *layout, const cartgen_visitor *visitor);
int @NAME@_unpack_visit(const @NAME@_layout *layout, const cartgen_visitor *visitor);
@REDUCE@
#ifdef __cplusplus
}
#endif
