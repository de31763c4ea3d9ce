
static cartgen_status @NAME@_open(cartgen_comm *comm, const void *params, cartgen_plan **plan_p)
{
    return cartgen_@TRANSPORT@_init(&@NAME@_schedule, comm, params, plan_p);
}

const cartgen_schedule @NAME@_schedule = {
    CARTGEN_ABI,
    "@NAME@",
    "@COLLECTIVE@",
    UINT64_C(@HASH@),
    @NDIMS@, /* dimensions */
    @DIMS@, /* extents */
    @NAME@_periods,
    @NSEND_ARRAYS@, /* send arrays, receive arrays */
    @SEND_ARRAYS@,
    @NRECV_ARRAYS@,
    @RECV_ARRAYS@,
    @NSEND@, /* send blocks */
    @NRECV@, /* receive blocks */
    @NAREAS@, /* areas */
    @NTRANSFERS@, /* transfers */
    @NVECTORS@, /* vectors */
    @VECTORS@,
    @OFFSETS@,
    @TRANSFER_SEND@,
    @TRANSFER_RECV@,
    @NNEEDS@, /* needs */
    @NAME@_need_first,
    @NEED_ROWS@,
    @NPARAMS@, /* parameters */
    @PARAM_TABLE@,
    @PARAM_BYTES@,
    @STATE_BYTES@, /* of the state that kernels are handed */
    @PREPARE@,
    @RELEASE@,
    @NKERNELS@, /* kernels */
    @KERNELS@,
    @NSHAPE_COPIES@, /* kernels between two shapes */
    @SHAPE_COPIES@,
    @NAME@_layout,
    @NLIMITS@, /* limits */
    @LIMIT_NAMES@,
    @LIMITS@,
    @OWN_PARAMS@, /* parameters of each rank's own */
    @IN_PLACE@, /* in place */
    @MODE@,
    @ZERO_COPY@,
    @NPROGRAMS@, /* programs */
    @NAME@_programs,
    {@LATENCY@, @PER_BYTE@, @PER_COPY@}, /* seconds per message, byte sent, block moved */
    @NAME@_open,
    cartgen_@TRANSPORT@_start,
    cartgen_@TRANSPORT@_test,
    cartgen_@TRANSPORT@_wait,
    cartgen_@TRANSPORT@_free,
};

cartgen_status @NAME@_init(cartgen_comm *comm, const @NAME@_params *params, @NAME@_plan **plan_p)
{
    return @NAME@_open(comm, params, plan_p);
}

cartgen_status @NAME@_start(@NAME@_plan *plan, @SENDBUF@, @RECVBUF@)
{
    return cartgen_@TRANSPORT@_start(plan, sendbuf, @PASSED@);
}

cartgen_status @NAME@_test(@NAME@_plan *plan, int *done_p)
{
    return cartgen_@TRANSPORT@_test(plan, done_p);
}

cartgen_status @NAME@_wait(@NAME@_plan *plan)
{
    return cartgen_@TRANSPORT@_wait(plan);
}

cartgen_status @NAME@_run(@NAME@_plan *plan, @SENDBUF@, @RECVBUF@)
{
    cartgen_status status = cartgen_@TRANSPORT@_start(plan, sendbuf, @PASSED@);
    return status == CARTGEN_OK ? cartgen_@TRANSPORT@_wait(plan) : status;
}

cartgen_status @NAME@_free(@NAME@_plan **plan_p)
{
    return cartgen_@TRANSPORT@_free(plan_p);
}
