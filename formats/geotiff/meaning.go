package geotiff

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// meaning reads how values are scaled, and which one stands for no data.
func (f *File) meaning(d *directory) error {
	f.scale, f.offset = 1, 0
	text, err := d.text(gdalNoData)
	if err != nil {
		return err
	}
	if f.none, err = f.cell.isNoData(text); err != nil {
		return err
	}
	if text, err = d.text(gdalMetadata); err != nil || text == "" {
		return err
	}
	var all struct {
		Item []struct {
			Role string `xml:"role,attr"`
			Text string `xml:",chardata"`
		}
	}
	if err := xml.Unmarshal([]byte(text), &all); err != nil {
		return fmt.Errorf("tag %d: %w", gdalMetadata, err)
	}
	for _, item := range all.Item {
		to := map[string]*float64{"scale": &f.scale, "offset": &f.offset}[item.Role]
		if to == nil {
			continue
		}
		if *to, err = strconv.ParseFloat(strings.TrimSpace(item.Text), 64); err != nil || *to-*to != 0 {
			return fmt.Errorf("tag %d: the %s %.40q is no finite number", gdalMetadata, item.Role, item.Text)
		}
	}
	return nil
}
