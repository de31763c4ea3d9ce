/* SPDX-License-Identifier: MIT */
/* Places of blocks: send buffer, receive buffer, on the way. */
#define S(block) CARTGEN_SEND(block)
#define R(block) CARTGEN_RECV(block)
#define T(block) CARTGEN_TEMP(block)
@BODY@
#undef S
#undef R
#undef T
