package halo

// Route is what a rank sends and receives in an exchange: a Plan of a mesh or a BoxPlan of a grid.
type Route interface {
	// route returns the route in the form that exchangers use; between linked devices latency dominates the cost of a
	// message, so that as many as possible travel at the same time.
	route(linked bool) (*route, error)
}

// route has one form for plans of meshes and of grids.
type route struct {
	rank   int
	cells  int // of an array
	phases []routePhase
	// packsFirst means that own cells may be changed as soon as Start has returned. Otherwise they must not until Finish,
	// since they may be packed later.
	packsFirst bool
}

// routePhase is a set of messages that travel at the same time.
type routePhase struct{ peers []routePeer }

// routePeer is a rank, perhaps this one, with the cells that are sent to it and received from it, in the order of the
// messages.
type routePeer struct {
	rank       int
	send, recv cellSet
}

// Count is how many cells a rank sends to another one, and receives from it, in a phase of an exchange.
type Count struct{ Rank, Send, Receive int }

// Counts returns what a rank exchanges with others, by phase, between processors.
func Counts(of Route) (phases [][]Count, err error) {
	r, err := of.route(false)
	if err != nil {
		return nil, err
	}
	for _, phase := range r.phases {
		var counts []Count
		for _, p := range phase.peers {
			if p.rank != r.rank {
				counts = append(counts, Count{p.rank, p.send.count(), p.recv.count()})
			}
		}
		phases = append(phases, counts)
	}
	return phases, nil
}

func (p *Plan) route(bool) (*route, error) {
	r := &route{rank: p.Rank, cells: p.Owned + p.Ghosts, packsFirst: true}
	if len(p.Peers) == 0 {
		return r, nil
	}
	var phase routePhase
	for _, peer := range p.Peers {
		ghosts := cellRuns{{first: int(peer.Lo), length: int(peer.Hi - peer.Lo), height: 1, depth: 1}}
		phase.peers = append(phase.peers, routePeer{peer.Rank, cellList(peer.Send), ghosts})
	}
	r.phases = []routePhase{phase}
	return r, nil
}

func (p *BoxPlan) route(linked bool) (*route, error) {
	if linked {
		var err error
		if p, err = p.WithSchedule(AllNeighbours); err != nil {
			return nil, err
		}
	}
	r := &route{rank: p.Rank, cells: p.Shape[0] * p.Shape[1] * p.Shape[2]}
	for _, phase := range p.Phases {
		var peers []routePeer
		for _, peer := range phase.Peers {
			peers = append(peers, routePeer{peer.Rank, runsOf(p.Shape, peer.Send), runsOf(p.Shape, peer.Recv)})
		}
		r.phases = append(r.phases, routePhase{peers})
	}
	return r, nil
}

// poison fills the ghosts of fields with bytes that are a NaN in either precision.
func (r *route) poison(fields []Field) {
	for _, phase := range r.phases {
		for _, peer := range phase.peers {
			for _, f := range fields {
				peer.recv.poison(f)
			}
		}
	}
}
