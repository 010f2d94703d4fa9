package release

import "time"

const (
	// MaxProductionApps is how many app connections may be in production in one installation, versions that
	// are kept beside a newer one and connections of disabled plugins included (genisys-plugin@1).
	MaxProductionApps = 200
	// MaxKeep is the longest time that an older version is kept beside a newer one.
	MaxKeep = 366 * 24 * time.Hour
	// MaxAffected bounds each list of an impact: more than anybody reads before a decision.
	MaxAffected = 500
	// maxDecoded bounds the manifests that the catalogue keeps decoded, in releases. A logo is 64 KiB at most.
	maxDecoded = 600
	// maxPreviewProjects bounds one choice of preview projects.
	maxPreviewProjects = 1000
	// servedPage is how many plugins are read at once for agents.
	servedPage = 100
)
