package folder

import "testing"

// FuzzLease: any content of a lock file can be read, and what is read as a lease is one.
func FuzzLease(f *testing.F) {
	for _, l := range []lease{newLease(), {}, {ID: "a", Renewed: 1, Epoch: 2, PID: 3, Machine: "b"}} {
		content, err := l.encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Add([]byte("process 4711 on node3 since 2026-11-22 12:31:07"))
	f.Fuzz(func(t *testing.T, content []byte) {
		l, found := decodeLease(content)
		if found != (l.ID != "") {
			t.Fatalf("found %v, lease %+v", found, l)
		}
		if !found {
			return
		}
		again, err := l.encode()
		if err != nil {
			t.Fatal(err)
		}
		if len(again) <= leaseBytes {
			if got, found := decodeLease(again); !found || got.ID != l.ID || got.Epoch != l.Epoch || got.Renewed != l.Renewed {
				t.Errorf("%+v becomes %+v", l, got)
			}
		}
	})
}
