package grpc_test

func rankOfChild() bool { return false }
