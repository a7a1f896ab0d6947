package cuda

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

// Graph is a sequence of kernels and copies that is queued with one call.
type Graph struct {
	d    *Device
	exec uintptr // CUgraphExec
}

// Capture records the work that queue puts on the compute stream, without executing it. queue must not wait for the
// device or allocate memory on it: call queue once before, so that the primitives have allocated their buffers.
func (d *Device) Capture(queue func() error) (*Graph, error) {
	graph, err := d.record(queue)
	if err != nil {
		return nil, err
	}
	defer d.call(cuGraphDestroy, graph)
	g := &Graph{d: d}
	if err := d.call(cuGraphInstantiate, uintptr(unsafe.Pointer(&g.exec)), graph, 0); err != nil {
		return nil, err
	}
	return g, nil
}

// Record implements backend.Recorder.
func (d *Device) Record(queue func() error) (backend.Recording, error) { return d.Capture(queue) }

// Update records queue again and replaces the graph's arguments. queue must queue the same kernels in the same order.
func (g *Graph) Update(queue func() error) error {
	graph, err := g.d.record(queue)
	if err != nil {
		return err
	}
	defer g.d.call(cuGraphDestroy, graph)
	var result struct { // CUgraphExecUpdateResultInfo
		code       int32
		node, from uintptr
	}
	if err := g.d.call(cuGraphExecUpdate, g.exec, graph, uintptr(unsafe.Pointer(&result))); err != nil {
		return withSubject(err, fmt.Sprintf("graph (CUgraphExecUpdateResult %d)", result.code))
	}
	return nil
}

// relaxed lets other ranks of the process allocate memory during the capture (CU_STREAM_CAPTURE_MODE_RELAXED).
const relaxed = 2

// record captures the work that queue puts on the compute stream, and returns its CUgraph.
func (d *Device) record(queue func() error) (uintptr, error) {
	if d.capturing {
		return 0, errors.New("cuda: cannot capture a graph while another one is being captured")
	}
	if err := d.compute.run(cuStreamBeginCapture, [maxArgs]uintptr{d.compute.handle, relaxed}); err != nil {
		return 0, err
	}
	d.capturing = true
	queueErr := queue()
	d.capturing = false
	var graph uintptr
	err := d.call(cuStreamEndCapture, d.compute.handle, uintptr(unsafe.Pointer(&graph)))
	if err = errors.Join(queueErr, d.err, err); err != nil {
		if graph != 0 {
			d.call(cuGraphDestroy, graph)
		}
		return 0, err
	}
	return graph, nil
}

// Launch queues the graph on the compute stream. It allocates nothing.
func (g *Graph) Launch() {
	endSpan := g.d.traceSpan("recording", g.d.compute)
	defer endSpan()
	if g.d.compute.run(cuGraphLaunch, [maxArgs]uintptr{g.exec, g.d.compute.handle}) == nil {
		g.d.lastKernel = "in a graph" // errors then read "after kernel in a graph or one queued before it"
	}
}

// Close destroys the graph.
func (g *Graph) Close() {
	if g.exec != 0 {
		g.d.call(cuGraphExecDestroy, g.exec)
		g.exec = 0
	}
}
