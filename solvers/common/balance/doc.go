// Package balance moves blocks of a grid during a run, so that ranks have equal shares of the work while an interface
// moves through the grid. Solver is a solver whose blocks move: it has another solver, for the blocks as they are, and
// replaces it.
//
// A move is a restart on other blocks, without files. The solver's state is saved; the cells are divided by what their
// work is counted to be (partition.Bisect), each rank sends others what these own from then on, and makes a solver on
// its new block, as at the start of a run, in which the state is restored. Counts are integers that are summed over all
// ranks, so that all decide alike; the state does not depend on blocks, so that it has the same bits without moves.
//
// Moves follow the rule of D. M. Nicol and J. H. Saltz ("Dynamic remapping of parallel computations with varying
// resource demands", IEEE Trans. Comput. 37, 1988): the work is divided again when what ranks have lost by waiting
// since the last move is more than a move costs. What a rank waits is lost only as far as its processor is idle: if
// ranks share processors, others compute meanwhile (solvers.Env.Crowding).
package balance
