package api

import (
	"net/http"

	"pawl/internal/auth"
)

// endpoints is the whole table of routes. Everything that the server answers but the UI's pages stands here.
func (s *server) endpoints() []endpoint {
	var all []endpoint
	for _, part := range [][]endpoint{s.systemRoutes(), s.personRoutes(), s.pluginRoutes(), s.connectionRoutes(), s.automationRoutes(), s.runRoutes(), s.agentRoutes()} {
		all = append(all, part...)
	}
	return all
}

// Routes lists the table of routes, for tests and for the documentation.
func Routes() []Route {
	var list []Route
	for _, e := range (&server{}).endpoints() {
		list = append(list, e.Route)
	}
	return list
}

const (
	get = http.MethodGet
	pst = http.MethodPost
	put = http.MethodPut
	del = http.MethodDelete

	inside = prefix + "/projects/{project}"
)

func (s *server) systemRoutes() []endpoint {
	return []endpoint{
		on(Route{Method: get, Path: "/healthz", Needs: auth.Public, ID: "healthz", Summary: "Whether the process answers"}, s.healthz),
		on(Route{Method: get, Path: "/readyz", Needs: auth.Public, ID: "readyz", Summary: "Whether the process can work"}, s.readyz),
		on(Route{Method: get, Path: "/metrics", Needs: auth.See, ID: "metrics", Summary: "Metrics in the text format of Prometheus", Stream: "text/plain"}, s.exposition),
		on(Route{Method: get, Path: prefix + "/openapi.json", Needs: auth.Public, ID: "openapi", Summary: "This document"}, s.openAPI),
		on(Route{Method: get, Path: prefix + "/version", Needs: auth.SignedIn, ID: "version", Summary: "Which build answers"}, s.version),
		on(Route{Method: get, Path: prefix + "/audit", Needs: auth.Audit, ID: "list-audit", Summary: "Who changed what, newest first"}, s.audit),
	}
}

func (s *server) personRoutes() []endpoint {
	return []endpoint{
		on(Route{Method: pst, Path: prefix + "/session", Needs: auth.Public, ID: "sign-in", Summary: "Sign in with a password or a one-time link", Body: smallBody}, s.signIn),
		on(Route{Method: del, Path: prefix + "/session", Needs: auth.SignedIn, ID: "sign-out", Summary: "Sign out"}, s.signOut),
		on(Route{Method: get, Path: prefix + "/me", Needs: auth.SignedIn, ID: "me", Summary: "Who calls, and what the caller may do"}, s.me),
		on(Route{Method: put, Path: prefix + "/me/password", Needs: auth.SignedIn, ID: "set-password", Summary: "Set the caller's password", Body: smallBody}, s.setPassword),
		on(Route{Method: get, Path: prefix + "/me/keys", Needs: auth.SignedIn, ID: "list-keys", Summary: "The caller's API keys"}, s.listKeys),
		on(Route{Method: pst, Path: prefix + "/me/keys", Needs: auth.SignedIn, ID: "create-key", Summary: "Make an API key; its text is shown once", Body: smallBody, Status: created}, s.createKey),
		on(Route{Method: del, Path: prefix + "/me/keys/{id}", Needs: auth.SignedIn, ID: "revoke-key", Summary: "End an API key"}, s.revokeKey),
		on(Route{Method: get, Path: prefix + "/projects", Needs: auth.SignedIn, ID: "list-projects", Summary: "The caller's projects"}, s.listProjects),
		on(Route{Method: pst, Path: prefix + "/projects", Needs: auth.Own, ID: "create-project", Summary: "Make a project", Body: smallBody, Status: created}, s.createProject),
	}
}

func (s *server) pluginRoutes() []endpoint {
	const one = prefix + "/plugins/{id}"
	return []endpoint{
		on(Route{Method: get, Path: prefix + "/plugins", Needs: auth.See, ID: "list-plugins", Summary: "The plugins"}, s.listPlugins),
		on(Route{Method: get, Path: one, Needs: auth.See, ID: "show-plugin", Summary: "A plugin with its stages, frozen versions and bindings"}, s.showPlugin),
		on(Route{Method: put, Path: one + "/draft", Needs: auth.Develop, ID: "put-plugin-draft", Summary: "Save the draft", Body: documentBody, Document: true}, s.putPluginDraft),
		on(Route{Method: put, Path: one + "/settings", Needs: auth.Develop, ID: "put-plugin-settings", Summary: "Save the draft's release settings", Body: documentBody, Document: true}, s.putPluginSettings),
		on(Route{Method: get, Path: one + "/settings", Needs: auth.See, ID: "export-plugin-settings", Summary: "Its release settings as a file"}, s.exportPluginSettings),
		on(Route{Method: del, Path: one + "/settings", Needs: auth.Develop, ID: "remove-plugin-settings", Summary: "Take the draft's release settings away"}, s.removePluginSettings),
		on(Route{Method: get, Path: one + "/history", Needs: auth.See, ID: "plugin-history", Summary: "Its moves, newest first"}, s.pluginHistory),
		on(Route{Method: pst, Path: one + "/promote", Needs: auth.Develop, ID: "promote-plugin", Summary: "Freeze the draft to preview, or copy the preview to production", Body: smallBody, Live: true}, s.promotePlugin),
		on(Route{Method: pst, Path: one + "/rollback", Needs: auth.Release, ID: "rollback-plugin", Summary: "Point production at an earlier frozen version", Body: smallBody}, s.rollbackPlugin),
		on(Route{Method: pst, Path: one + "/disable", Needs: auth.Release, ID: "disable-plugin", Summary: "Withdraw it until it is enabled"}, s.disablePlugin),
		on(Route{Method: pst, Path: one + "/enable", Needs: auth.Release, ID: "enable-plugin", Summary: "Restore what disabling withdrew"}, s.enablePlugin),
		on(Route{Method: del, Path: one, Needs: auth.Release, ID: "remove-plugin", Summary: "Withdraw it from all stages; records and keys stay"}, s.removePlugin),
		on(Route{Method: get, Path: one + "/impact", Needs: auth.See, ID: "plugin-impact", Summary: "Whom a move would touch"}, s.pluginImpact),
		on(Route{Method: get, Path: one + "/export", Needs: auth.See, ID: "export-plugin", Summary: "The plugin as a file"}, s.exportPlugin),
		on(Route{Method: get, Path: prefix + "/plugin-bundle", Needs: auth.See, ID: "export-bundle", Summary: "Several plugins with their settings as one file"}, s.exportBundle),
		on(Route{Method: pst, Path: prefix + "/plugin-bundle", Needs: auth.Develop, ID: "import-bundle", Summary: "Save the drafts of several plugins together", Body: manyDocumentsBody}, s.importBundle),
		on(Route{Method: pst, Path: inside + "/plugins/{id}/test", Needs: auth.Develop, ID: "test-plugin", Summary: "Call a tool, or an action of the draft, once, outside of any run", Body: runBody}, s.testPlugin),
		on(Route{Method: pst, Path: inside + "/plugins/{id}/fetch", Needs: auth.Develop, ID: "fetch-for-plugin", Summary: "Send what a module in the browser's sandbox asks for", Body: manyDocumentsBody}, s.fetchForPlugin),
		on(Route{Method: get, Path: prefix + "/catalog", Needs: auth.See, ID: "catalog", Summary: "The actions that steps can name"}, s.catalog),
	}
}

func (s *server) connectionRoutes() []endpoint {
	return []endpoint{
		on(Route{Method: get, Path: inside + "/accounts", Needs: auth.See, ID: "list-accounts", Summary: "The project's accounts, without their keys"}, s.listAccounts),
		on(Route{Method: put, Path: inside + "/accounts", Needs: auth.Account, ID: "set-account", Summary: "Save a key under a name; a name that is there gets a new key", Body: 2 * smallBody}, s.setAccount),
		on(Route{Method: del, Path: inside + "/accounts/{name}", Needs: auth.Account, ID: "remove-account", Summary: "Take an account out of use"}, s.removeAccount),
		on(Route{Method: get, Path: inside + "/grants", Needs: auth.See, ID: "list-grants", Summary: "The project's standing grants"}, s.listGrants),
		on(Route{Method: pst, Path: inside + "/grants", Needs: auth.Grant, ID: "add-grant", Summary: "Grant an action, a host or agents", Body: smallBody}, s.addGrant),
		on(Route{Method: del, Path: inside + "/grants", Needs: auth.Grant, ID: "remove-grant", Summary: "End a grant"}, s.removeGrant),
		on(Route{Method: get, Path: inside + "/skills", Needs: auth.See, ID: "list-skills", Summary: "The skills of plugins that the project is served, by the rules of the stages"}, s.listSkills),
		on(Route{Method: get, Path: inside + "/skills/{skill}", Needs: auth.See, ID: "show-skill", Summary: "A skill with its instructions"}, s.showSkill),
	}
}

func (s *server) automationRoutes() []endpoint {
	const all, one = inside + "/automations", inside + "/automations/{name}"
	return []endpoint{
		on(Route{Method: get, Path: all, Needs: auth.See, ID: "list-automations", Summary: "The project's automations"}, s.listAutomations),
		on(Route{Method: pst, Path: all + "/validate", Needs: auth.Edit, ID: "validate-automation", Summary: "All problems of a document at once", Body: documentBody, Document: true}, s.validateAutomation),
		on(Route{Method: pst, Path: all + "/apply", Needs: auth.Edit, ID: "apply-automations", Summary: "Make several documents drafts together, or say what that would change", Body: manyDocumentsBody}, s.applyAutomations),
		on(Route{Method: get, Path: one, Needs: auth.See, ID: "show-automation", Summary: "An automation with its draft"}, s.showAutomation),
		on(Route{Method: del, Path: one, Needs: auth.Edit, ID: "remove-automation", Summary: "Take an automation out of sight; versions and runs stay", Live: true}, s.removeAutomation),
		on(Route{Method: put, Path: one + "/draft", Needs: auth.Edit, ID: "put-automation-draft", Summary: "Save the draft", Body: documentBody, Document: true}, s.putAutomationDraft),
		on(Route{Method: pst, Path: one + "/publish", Needs: auth.Publish, ID: "publish-automation", Summary: "Make the draft the next version, and live", Body: smallBody}, s.publishAutomation),
		on(Route{Method: get, Path: one + "/versions", Needs: auth.See, ID: "list-versions", Summary: "The published versions, newest first"}, s.listVersions),
		on(Route{Method: get, Path: one + "/versions/{version}", Needs: auth.See, ID: "show-version", Summary: "A version with its document"}, s.showVersion),
		on(Route{Method: get, Path: one + "/diff", Needs: auth.See, ID: "diff-automation", Summary: "How two states differ, step by step"}, s.diffAutomation),
		on(Route{Method: pst, Path: one + "/revert", Needs: auth.Edit, ID: "revert-automation", Summary: "Make a version the draft again", Body: smallBody}, s.revertAutomation),
		on(Route{Method: pst, Path: one + "/runs", Needs: auth.Test, ID: "start-run", Summary: "Start a run", Body: runBody, Once: true, Status: created}, s.startRun),
	}
}

func (s *server) agentRoutes() []endpoint {
	const all, one = inside + "/approvals", inside + "/approvals/{id}"
	return []endpoint{
		agentsEndpoint(Route{Method: pst, Path: "/mcp", Needs: auth.See, ID: "mcp", Summary: "Tools, skills and published automations for agents", Body: documentBody, Stream: "text/event-stream"}),
		on(Route{Method: get, Path: all, Needs: auth.See, ID: "list-approvals", Summary: "The calls of agents that wait, or waited, for a person, newest first"}, s.listApprovals),
		on(Route{Method: get, Path: one, Needs: auth.See, ID: "show-approval", Summary: "A call that waits, or waited, for a person"}, s.showApproval),
		on(Route{Method: pst, Path: one + "/allow", Needs: auth.Approve, ID: "allow-call", Summary: "Let the call happen, once", Body: smallBody}, s.allowCall),
		on(Route{Method: pst, Path: one + "/deny", Needs: auth.Approve, ID: "deny-call", Summary: "Refuse the call", Body: smallBody}, s.denyCall),
	}
}

func (s *server) runRoutes() []endpoint {
	const all, one = inside + "/runs", inside + "/runs/{id}"
	return []endpoint{
		on(Route{Method: get, Path: all, Needs: auth.See, ID: "list-runs", Summary: "The project's runs, newest first"}, s.listRuns),
		on(Route{Method: get, Path: one, Needs: auth.See, ID: "show-run", Summary: "A run with its steps"}, s.showRun),
		on(Route{Method: get, Path: one + "/events", Needs: auth.See, ID: "run-events", Summary: "Follow a run as server-sent events: run, the run object, and step, {run, step}", Stream: "text/event-stream"}, s.runEvents),
		on(Route{Method: pst, Path: one + "/cancel", Needs: auth.Run, ID: "cancel-run", Summary: "Let no further step start but those of finally", Body: smallBody}, s.cancelRun),
		on(Route{Method: pst, Path: one + "/replay", Needs: auth.Run, ID: "replay-run", Summary: "Run the same document with the same input again", Status: created}, s.replayRun),
		on(Route{Method: pst, Path: one + "/steps/{path}/settle", Needs: auth.Settle, ID: "settle-step", Summary: "Decide an unknown outcome", Body: runBody}, s.settleStep),
		on(Route{Method: get, Path: one + "/blobs/{digest}", Needs: auth.See, ID: "run-blob", Summary: "A large output of a run", Stream: "application/octet-stream"}, s.runBlob),
	}
}
