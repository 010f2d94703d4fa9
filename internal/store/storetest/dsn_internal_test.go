package storetest

import "testing"

func TestWithDatabase(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		dsn  string
		want string
	}{
		{name: "keywords", dsn: "host=/tmp user=me dbname=a", want: "host=/tmp user=me dbname=a dbname=b"},
		{name: "address", dsn: "postgres://me:pw@h:5432/a?sslmode=disable", want: "postgres://me:pw@h:5432/b?sslmode=disable"},
		{name: "address with a socket", dsn: "postgresql:///a?host=%2Ftmp", want: "postgresql:///b?host=%2Ftmp"},
		{name: "address with the name as option", dsn: "postgres://h/?dbname=a&user=me", want: "postgres://h/b?user=me"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := withDatabase(tt.dsn, "b"); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
