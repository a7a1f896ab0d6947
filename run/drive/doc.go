// Package drive lets another process drive a run: it decides when steps are taken, reads fields and sets them between
// steps. The Python class atoll.Bmi is such a driver, by the Basic Model Interface (BMI 2.0).
//
// The driver listens at a unix socket, to which the run connects, and sends requests, each answered by one reply.
// Requests and replies are a line of JSON, and then as many bytes of float64 numbers, little endian, as it says.
//
//	{"do":"describe"}                        what there is: clock, end, variables, grids
//	{"do":"advance","steps":1}               take steps, or
//	{"do":"advance","until":2.5}             take steps up to this time, the last of which is shortened
//	{"do":"get","name":"h"}                  the numbers of a variable, one for each entity, in the order of keys
//	{"do":"set","name":"h","bytes":8000}     replace them
//	{"do":"set","name":"rain","bytes":8}     set a number that the case leaves to the driver: { driven = 0, most = 1e-4 }
//	{"do":"grid","name":"cell"}              the geometry: corners of each cell, or cells, spacing and origin
//	{"do":"stop"}                            save the state and end the run, or just end it after its last step
//
// A reply has an "error" if the request is refused; the run then goes on as if it had not been made.
//
// All ranks are goroutines of one process. Rank 0 receives the requests, and all ranks carry them out together. To set
// a field is to save the state, and to restore it with other numbers, as from a checkpoint. A run is thus determined
// by its case and the requests, for any number of ranks, and continues from a checkpoint with the same bits. Steps are
// those of an undriven run unless a variable is set or a time is given.
package drive
