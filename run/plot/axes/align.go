package axes

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// margins are the largest distances of data canvases from the edges of the canvases of a row or column.
type margins struct{ before, after vg.Length }

func (m *margins) extend(before, after vg.Length) {
	m.before, m.after = max(m.before, before), max(m.after, after)
}

// Align returns canvases for plots in rows and columns, the first row at the top, whose data canvases have the same
// size and are in line. Plots may be nil. plots has the number of rows and columns of tiles.
func Align(plots [][]*Plot, tiles draw.Tiles, c draw.Canvas) [][]draw.Canvas {
	list := make([][]draw.Canvas, tiles.Rows)
	columns, rows := make([]margins, tiles.Cols), make([]margins, tiles.Rows)
	for j := range list {
		for i := range tiles.Cols {
			tile := tiles.At(c, i, j)
			list[j] = append(list[j], tile)
			if p := plots[j][i]; p != nil {
				inner := p.DataCanvas(tile)
				columns[i].extend(inner.Min.X-tile.Min.X, tile.Max.X-inner.Max.X)
				rows[j].extend(inner.Min.Y-tile.Min.Y, tile.Max.Y-inner.Max.Y)
			}
		}
	}
	width := share(c.Max.X-c.Min.X, columns, tiles.PadX, tiles.PadLeft+tiles.PadRight)
	height := share(c.Max.Y-c.Min.Y, rows, tiles.PadY, tiles.PadTop+tiles.PadBottom)
	up := make([]vg.Length, tiles.Cols)
	for j := tiles.Rows - 1; j >= 0; j-- {
		var right vg.Length
		for i, p := range plots[j] {
			tile, inner := fit(p, list[j][i], columns[i], rows[j])
			list[j][i] = draw.Crop(tile, right, right+width-inner.X, up[i], up[i]+height-inner.Y)
			right += width - inner.X
			up[i] += height - inner.Y
		}
	}
	return list
}

// share returns the length of each data canvas along a side of all canvases, whose length is given.
func share(length vg.Length, list []margins, between, around vg.Length) vg.Length {
	var total vg.Length
	for _, m := range list {
		total += m.before + m.after
	}
	total += between*vg.Length(len(list)-1) + around
	return (length - total) / vg.Length(len(list))
}

// fit returns the part of a tile with the given margins around the data, and the size of the data canvas.
func fit(p *Plot, tile draw.Canvas, column, row margins) (draw.Canvas, vg.Point) {
	if p == nil {
		return tile, vg.Point{X: tile.Max.X - tile.Min.X - (column.after + column.before),
			Y: tile.Max.Y - tile.Min.Y - (row.after + row.before)}
	}
	inner := p.DataCanvas(tile)
	tile = draw.Crop(tile, column.before-(inner.Min.X-tile.Min.X), tile.Max.X-inner.Max.X-column.after,
		row.before-(inner.Min.Y-tile.Min.Y), tile.Max.Y-inner.Max.Y-row.after)
	inner = p.DataCanvas(tile)
	return tile, vg.Point{X: inner.Max.X - inner.Min.X, Y: inner.Max.Y - inner.Min.Y}
}
