
#ifdef __cplusplus
extern "C" {
#endif

/* @NAME@: @SUMMARY@
@BUFFERS@
 */
@PARAMS@
typedef struct cartgen_plan @NAME@_plan;

/* Collective over the comm; everything slow happens here. params may go when it returns. */
cartgen_status @NAME@_init(cartgen_comm *comm, const @NAME@_params *params, @NAME@_plan **plan_p);
/* Begins; buffers may change from call to call. Never allocates. */
cartgen_status @NAME@_start(@NAME@_plan *plan, @SENDBUF@, @RECVBUF@);
/* Progresses rounds; *done_p is 1 when the exchange is complete. */
cartgen_status @NAME@_test(@NAME@_plan *plan, int *done_p);
cartgen_status @NAME@_wait(@NAME@_plan *plan);
/* start and wait. */
cartgen_status @NAME@_run(@NAME@_plan *plan, @SENDBUF@, @RECVBUF@);
cartgen_status @NAME@_free(@NAME@_plan **plan_p);

extern const cartgen_schedule @NAME@_schedule;

#ifdef __cplusplus
}
#endif
