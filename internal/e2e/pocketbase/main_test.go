package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
)

func open(t *testing.T, o options) (app core.App, token string) {
	t.Helper()
	app = core.NewBaseApp(core.BaseAppConfig{DataDir: o.dir})
	if err := app.Bootstrap(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := app.ResetBootstrapState(); err != nil {
			t.Error(err)
		}
	})
	if err := app.RunAllMigrations(); err != nil {
		t.Fatal(err)
	}
	token, err := prepare(app, o)
	if err != nil {
		t.Fatal(err)
	}
	return app, token
}

// total asks the server how many records a collection has, with the token as a plugin sends it.
func total(t *testing.T, app core.App, token, collection string) (records, status int) {
	t.Helper()
	router, err := apis.NewRouter(app)
	if err != nil {
		t.Fatal(err)
	}
	mux, err := router.BuildMux()
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/api/collections/"+collection+"/records?perPage=1", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	var answer struct{ TotalItems int }
	if err := json.NewDecoder(w.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer.TotalItems, w.Code
}

func TestFolderIsFilledOnce(t *testing.T) {
	o := options{dir: t.TempDir(), customers: 3, orders: 7}
	app, first := open(t, o)
	for name, want := range map[string]int{"customers": 3, "orders": 7} {
		if got, status := total(t, app, first, name); got != want || status != http.StatusOK {
			t.Errorf("%s: %d records, status %d; want %d", name, got, status, want)
		}
	}
	if _, status := total(t, app, "wrong", "orders"); status != http.StatusForbidden {
		t.Errorf("a wrong token gets status %d, want 403", status)
	}
	again, second := open(t, o)
	if got, status := total(t, again, second, "orders"); got != 7 || status != http.StatusOK {
		t.Errorf("after a second start: %d orders, status %d; want 7", got, status)
	}
}
