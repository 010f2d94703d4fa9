// Package agents serves agents over the Model Context Protocol (MCP, revision 2025-11-25 and those before that the SDK
// knows) at /mcp: the tools of released plugins, the actions of apps, skills, and published automations, by the kind of the
// API key and the project (docs/agents.md).
//
// Each request stands for itself: no session is kept, so any server of an installation answers any of them. A call of a
// released action is a run of one step, guarded by the effect ledger as every step is; an agent that goes away loses nothing.
package agents
