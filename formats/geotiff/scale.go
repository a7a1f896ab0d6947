package geotiff

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// readScale reads the scale, offset and unit of values, and the number that means no data.
func (f *File) readScale(d *directory) error {
	f.scale, f.offset = 1, 0
	text, err := d.text(gdalNoData)
	if err != nil {
		return err
	}
	if f.isNoData, err = f.cell.isNoData(text); err != nil {
		return err
	}
	if text, err = d.text(gdalMetadata); err != nil || text == "" {
		return err
	}
	var metadata struct {
		Item []struct {
			Role string `xml:"role,attr"`
			Text string `xml:",chardata"`
		}
	}
	if err := xml.Unmarshal([]byte(text), &metadata); err != nil {
		return fmt.Errorf("tag %d: %w", gdalMetadata, err)
	}
	for _, item := range metadata.Item {
		if item.Role == "unittype" && strings.TrimSpace(item.Text) != "" {
			f.Unit = strings.TrimSpace(item.Text)
		}
		dst := map[string]*float64{"scale": &f.scale, "offset": &f.offset}[item.Role]
		if dst == nil {
			continue
		}
		if *dst, err = strconv.ParseFloat(strings.TrimSpace(item.Text), 64); err != nil || *dst-*dst != 0 {
			return fmt.Errorf("tag %d: the %s %.40q is not a finite number", gdalMetadata, item.Role, item.Text)
		}
	}
	return nil
}
