package main

import (
	"encoding/json"
	"fmt"
	"time"

	"pawl/internal/api"
	"pawl/internal/client"
)

type doctorCommand struct{}

// finding is one check of the doctor.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// mostClockSkew is how far the two clocks may be apart before times in lists mislead.
const mostClockSkew = time.Minute

// Run checks one thing after the other; what follows from a failure is not tried.
func (c *doctorCommand) Run(s *session) error {
	var findings []finding
	good := true
	for _, check := range []func(*session) finding{reachable, ready, keyWorks, projectThere, versions, sandboxWorks} {
		f := check(s)
		findings = append(findings, f)
		if good = f.OK; !good {
			break
		}
	}
	if s.json {
		b, err := json.Marshal(map[string]any{"ok": good, "checks": findings})
		if err != nil {
			return fmt.Errorf("write the findings: %w", err)
		}
		s.raw(s.out, b)
	} else {
		for _, f := range findings {
			mark := "ok  "
			if !f.OK {
				mark = "FAIL"
			}
			s.say("%s %s: %s", mark, f.Check, clean(f.Detail))
		}
	}
	if !good {
		return failed{}
	}
	return nil
}

func found(check string, err error, good string) finding {
	if err != nil {
		return finding{check, false, sentence(err)}
	}
	return finding{check, true, good}
}

func reachable(s *session) finding {
	_, err := s.client.Do(s.ctx, client.Request{Method: "GET", Path: "/healthz"})
	return found("server", err, s.client.Base+" answers")
}

func ready(s *session) finding {
	_, err := s.client.Do(s.ctx, client.Request{Method: "GET", Path: "/readyz"})
	return found("database", err, "the server's database answers")
}

func keyWorks(s *session) finding {
	var me api.Me
	_, err := s.get("/api/v1/me", nil, &me)
	detail := "signed in as " + me.Email
	if me.Key != nil {
		detail += fmt.Sprintf(" with the %s key %s", me.Key.Kind, me.Key.Prefix)
	}
	return found("key", err, detail)
}

func projectThere(s *session) finding {
	_, err := s.get(s.inProject("/runs"), pageFlags{Limit: 1}.query(), nil)
	return found("project", err, s.project+" can be seen")
}

func versions(s *session) finding {
	var v api.Build
	if _, err := s.get("/api/v1/version", nil, &v); err != nil {
		return found("version", err, "")
	}
	if skew := time.Since(v.Now).Abs(); skew > mostClockSkew {
		return finding{"clock", false, fmt.Sprintf("this machine's clock and the server's are %s apart", skew.Round(time.Second))}
	}
	return finding{"version", true, fmt.Sprintf("server %s (%s, time zones %s), this command %s", v.Pawl, v.Go, v.Zones, buildVersion())}
}

// sandboxWorks asks the server; workers have sandboxes of their own, and say in a step's error when theirs can't run.
func sandboxWorks(s *session) finding {
	var v api.Build
	_, err := s.get("/api/v1/version", nil, &v)
	if err == nil && v.Sandbox != nil {
		return finding{"sandbox", false, errorText(v.Sandbox)}
	}
	return found("sandbox", err, "the server can run the modules of plugins")
}
