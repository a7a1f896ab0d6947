//go:build !windows

#include "textflag.h"

// cCall(frame *frame) is called by the C calling convention, on the system stack, with the frame in DI. It calls
// frame.fn with frame.args, six of them in registers and five on the stack, and stores the result in frame.result.
TEXT ·cCall(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ BP
	MOVQ  SP, BP
	PUSHQ BX
	SUBQ  $40, SP // 5 arguments; with the two saved registers and the return address a multiple of 16, as the System V ABI requires
	MOVQ  DI, BX
	MOVQ  56(BX), AX
	MOVQ  AX, 0(SP)
	MOVQ  64(BX), AX
	MOVQ  AX, 8(SP)
	MOVQ  72(BX), AX
	MOVQ  AX, 16(SP)
	MOVQ  80(BX), AX
	MOVQ  AX, 24(SP)
	MOVQ  88(BX), AX
	MOVQ  AX, 32(SP)
	MOVQ  8(BX), DI
	MOVQ  16(BX), SI
	MOVQ  24(BX), DX
	MOVQ  32(BX), CX
	MOVQ  40(BX), R8
	MOVQ  48(BX), R9
	MOVQ  0(BX), R11
	XORL  AX, AX // no floating-point arguments
	CALL  R11
	MOVQ  AX, 96(BX)
	ADDQ  $40, SP
	POPQ  BX
	POPQ  BP
	RET

DATA ·cCallAddress(SB)/8, $·cCall(SB)
GLOBL ·cCallAddress(SB), NOPTR|RODATA, $8
