package swarm

import (
	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/backend/cuda"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo/halotest"
)

// openDevice opens the device of a rank.
func (g *leg) openDevice(comm dist.Comm) (backend.Device, error) {
	if g.Device == "cuda" {
		return gpus.open(comm.Rank())
	}
	const bytes = 1 << 30
	host := cpu.New(g.Threads)
	switch g.Device {
	case "fake":
		return backendtest.NewFakeGPU(host, bytes), nil
	case "recorder":
		return backendtest.NewFakeRecorder(host, bytes), nil
	case "linked":
		return halotest.NewLinkedRecorder(host, bytes, comm), nil
	}
	return host, nil
}

// gpuPool keeps the GPUs of ranks open, since it takes long to open one and to load its kernels.
type gpuPool struct {
	devices map[int]*keptGPU
}

// keptGPU is a GPU that stays open when its run closes it.
type keptGPU struct {
	*cuda.Device
	uses int
}

func (*keptGPU) Close() {}

var gpus gpuPool

// maxUses is the number of runs after which a GPU is opened anew: a device keeps something of each loop.
const maxUses = 40

// prepare opens the GPUs for a leg, before its ranks start.
func (p *gpuPool) prepare(ranks int) error {
	for rank := range ranks {
		d := p.devices[rank]
		if d != nil && d.uses >= maxUses {
			d.Device.Close()
			d = nil
		}
		if d == nil {
			opened, err := cuda.Open(cuda.Options{LocalRank: rank})
			if err != nil {
				return err
			}
			d = &keptGPU{Device: opened}
		}
		d.uses++
		if p.devices == nil {
			p.devices = map[int]*keptGPU{}
		}
		p.devices[rank] = d
	}
	return nil
}

func (p *gpuPool) open(rank int) (backend.Device, error) { return p.devices[rank], nil }

// drop closes all GPUs, whose state is not known after an error.
func (p *gpuPool) drop() {
	for _, d := range p.devices {
		d.Device.Close()
	}
	p.devices = nil
}
