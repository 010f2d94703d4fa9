// Package ui embeds the pages of the product as the build leaves them in dist (docs/ui.md). It has no other code:
// internal/api serves the files.
package ui

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var built embed.FS

//go:embed missing
var missing embed.FS

// Files gives the built pages, index.html at the top. A binary that was built before the pages were has one page
// instead, which says how to build them.
func Files() fs.FS {
	if pages := below(built, "dist"); hasFirstPage(pages) {
		return pages
	}
	return below(missing, "missing")
}

// below is a folder of an embedded tree. The names are constants that the compiler has found.
func below(tree embed.FS, folder string) fs.FS {
	sub, err := fs.Sub(tree, folder)
	if err != nil {
		panic(err)
	}
	return sub
}

func hasFirstPage(pages fs.FS) bool {
	_, err := fs.Stat(pages, "index.html")
	return err == nil
}
