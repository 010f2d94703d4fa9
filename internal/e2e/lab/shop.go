package lab

import (
	"encoding/json"
	"fmt"
)

// Shop is the connection identity of the shop plugin's version 1.0.0.
const Shop = "developer.shop.v1-0-0"

// ShopWrites are the actions of the shop that need a grant.
func ShopWrites() []string {
	return []string{"create_order", "form_order", "put_order", "patch_order", "delete_order", "slow_post", "status_post", "vanish", "flaky_post", "say_post"}
}

type m = map[string]any

// ShopPlugin is a plugin file for the target.
func ShopPlugin(version string) []byte {
	in := func(id, where string, required bool) m {
		return m{"id": id, "label": id, "in": where, "required": required}
	}
	act := func(id, method, path string, inputs ...m) m {
		if inputs == nil {
			inputs = []m{}
		}
		return m{"id": id, "name": id, "description": "Test action " + id + ".", "method": method, "path": path, "inputs": inputs}
	}
	payload := in("payload", "body", false)
	payload["json"] = true
	form := act("form_order", "POST", "/orders", in("title", "body", true), in("qty", "body", false))
	form["body"] = "form"
	file := m{
		"format": "genisys-plugin@1",
		"code":   "export default {};",
		"manifest": m{
			"id": "shop", "name": "Shop", "version": version, "description": "A shop.", "tools": []any{}, "skills": []any{}, "permissions": m{"hosts": []any{}},
			"app": m{
				"baseUrl": "https://" + Host, "auth": "bearer", "logo": "", "secretLabel": "Key", "keyHelp": "Make a key.", "docs": "https://example.com/docs",
				"actions": []m{
					act("list_items", "GET", "/items/{n}", in("n", "path", true), in("filter", "query", false)),
					act("get_item", "GET", "/item/{id}", in("id", "path", true)),
					act("pad", "GET", "/pad/{bytes}", in("bytes", "path", true)),
					act("slow_get", "GET", "/slow/{ms}", in("ms", "path", true)),
					act("status_get", "GET", "/status/{code}", in("code", "path", true)),
					act("flaky_get", "GET", "/flaky/{key}/{n}", in("key", "path", true), in("n", "path", true)),
					act("create_order", "POST", "/orders", in("title", "body", true), payload),
					form,
					act("put_order", "PUT", "/orders/{id}", in("id", "path", true), in("title", "body", false)),
					act("patch_order", "PATCH", "/orders/{id}", in("id", "path", true), in("title", "body", false)),
					act("delete_order", "DELETE", "/orders/{id}", in("id", "path", true)),
					act("slow_post", "POST", "/slow/{ms}", in("ms", "path", true), in("title", "body", false)),
					act("status_post", "POST", "/status/{code}", in("code", "path", true)),
					act("flaky_post", "POST", "/flaky/{key}/{n}", in("key", "path", true), in("n", "path", true)),
					act("vanish", "POST", "/vanish/{key}", in("key", "path", true)),
					act("say_post", "POST", "/say/{name}", in("name", "path", true)),
				},
			},
		},
	}
	b, err := json.Marshal(file)
	if err != nil {
		panic(fmt.Sprintf("the shop plugin can't be encoded: %v", err))
	}
	return b
}
