package kernels

// SomeFromTiles takes back the vertex that is number k of a list, as FromTiles does.
//
//atoll:kernel
func SomeFromTiles[F Float](k int, ids []int32, m *TiledMesh[F], from *Held[F], v []Vertex[F]) {
	FromTiles(int(ids[k]), m, from, v)
}
