// Package image is what can be pulled in a tab: known images with their files and programs, and
// the rule for all other names.
package image
