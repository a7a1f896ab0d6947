// Package request decodes the metric that a case requests, the section [metric], and makes it at the vertices of a
// mesh. It also interpolates fields at vertices to other positions, and measures the error of that.
package request
