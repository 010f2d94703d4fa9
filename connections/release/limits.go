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

	// MaxSettingsBytes is the largest settings file: 1 MiB, thirty actions with large schemas of their answers.
	MaxSettingsBytes = 1 << 20
	// settingsDepth and settingsValues bound its shape: a schema of MaxOutputDepth and what is around it.
	settingsDepth, settingsValues = MaxOutputDepth + 16, 100_000
	// MaxOutputDepth is how deep the schema of an output nests, as for every schema that is imported.
	MaxOutputDepth = 64

	// DefaultKeyWindow is how long a provider honours an Idempotency-Key unless the settings say otherwise.
	DefaultKeyWindow = 24 * time.Hour
	// MinKeyWindow is the shortest: below a minute a repeat comes too late.
	MinKeyWindow = time.Minute
	// MaxKeyWindow is the longest: beyond 30 days no provider is known to remember.
	MaxKeyWindow = 30 * 24 * time.Hour

	// MaxRequests is the most requests that a limit allows in its time: more is no limit.
	MaxRequests = 1_000_000
	// MinPer is the shortest time of a limit: providers count by the second.
	MinPer = time.Second
	// MaxPer is the longest: providers count up to the month.
	MaxPer = 31 * 24 * time.Hour
	// MaxConcurrent is the most requests at once that a limit allows.
	MaxConcurrent = 1_000
	// MaxPageSize is the largest page that is asked for.
	MaxPageSize = 10_000
	// MaxFirstPage is the highest number of a first page: providers count from 0 or from 1.
	MaxFirstPage = 1
	// MaxPointerLength bounds a JSON pointer into an answer, in characters.
	MaxPointerLength = 500

	// MaxBundleBytes is the largest bundle: 15 MiB, so that one travels with what an import says around it.
	MaxBundleBytes = 15 << 20
	// MaxBundled is how many plugins a bundle holds: as many as apps may be in production.
	MaxBundled = MaxProductionApps
	// bundleDepth is how deep a plugin file stands in a bundle.
	bundleDepth = 3
)
