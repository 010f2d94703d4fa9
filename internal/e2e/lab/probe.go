package lab

import (
	"encoding/json"
	"fmt"
)

// Probe is the connection identity of the tools of the probe plugin's version 1.0.0, and Words of the words plugin's.
const (
	Probe = "plugin.probe.v1-0-0"
	Words = "plugin.words.v1-0-0"
)

// probeCode requests what its input names, one after the other, and gives what came. Its other tools are for what goes
// wrong.
const probeCode = `const visit = async (input, ctx) => {
  const answers = [];
  for (const [method, path] of input.requests) {
    ctx.log(method, path);
    const { status, text } = await ctx.fetch('https://` + Host + `' + path, { method, body: method === 'GET' ? undefined : input.body });
    answers.push({ status, text });
  }
  return { answers, stage: ctx.stage };
};
export default { tools: {
  look: visit,
  act: visit,
  throws(input) { throw new TypeError('no ' + input.what); },
  elsewhere: (input, ctx) => ctx.fetch('https://' + input.host + '/'),
} };
`

// ProbePlugin is a plugin file whose tools request what they are told of the target.
func ProbePlugin(version string) []byte {
	requests := m{"type": "array", "items": m{"type": "array", "items": m{"type": "string"}}}
	visit := m{"type": "object", "properties": m{"requests": requests, "body": m{"type": "string"}}, "required": []string{"requests"}, "additionalProperties": false}
	anything := m{"type": "object", "properties": m{"what": m{"type": "string"}, "host": m{"type": "string"}}}
	return toolsPlugin("probe", version, probeCode, []string{Host, "elsewhere.example.com"},
		m{"name": "look", "description": "Reads.", "input": visit, "risk": "read"},
		m{"name": "act", "description": "Writes.", "input": visit, "risk": "act"},
		m{"name": "throws", "description": "Throws.", "input": anything, "risk": "read"},
		m{"name": "elsewhere", "description": "Reads another host.", "input": anything, "risk": "read"},
	)
}

// WordsPlugin is a plugin file with one tool, which reaches nothing.
func WordsPlugin(version string) []byte {
	code := `export default { tools: { count: ({ text }, ctx) => { ctx.log('counted'); return { words: text.split(/\s+/).filter(Boolean).length }; } } };`
	input := m{"type": "object", "properties": m{"text": m{"type": "string"}}, "required": []string{"text"}, "additionalProperties": false}
	return toolsPlugin("words", version, code, []string{}, m{"name": "count", "description": "Counts words.", "input": input, "risk": "read"})
}

func toolsPlugin(id, version, code string, hosts []string, tools ...m) []byte {
	b, err := json.Marshal(m{
		"format": "genisys-plugin@1", "code": code,
		"manifest": m{
			"id": id, "name": id, "version": version, "description": "Tools of the tests.", "tools": tools, "skills": []any{},
			"permissions": m{"hosts": hosts},
		},
	})
	if err != nil {
		panic(fmt.Sprintf("the plugin %s can't be encoded: %v", id, err))
	}
	return b
}
