package release

import "time"

const (
	// MaxProductionApps is how many app connections may be in production in one installation, versions that
	// are kept beside a newer one and connections of disabled plugins included (genisys-plugin@1).
	MaxProductionApps = 200
	// MaxKeep is the longest time that an older version is kept beside a newer one.
	MaxKeep = 366 * 24 * time.Hour
	// maxPreviewProjects bounds one choice of preview projects.
	maxPreviewProjects = 1000
)
