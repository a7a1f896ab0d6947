// Package proto is the control plane of a distributed run: what ranks and their coordinator tell each other. Cells and
// reductions do not pass through it.
package proto

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative coordinator.proto
