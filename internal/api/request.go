package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"pawl/internal/canon"
	"pawl/internal/fault"
)

type requestKey struct{}

// request is what the log has to know of a request.
type request struct {
	id    uuid.UUID
	from  netip.Addr // of the client; invalid where it isn't known
	cause error      // why it failed inside
}

func requestOf(ctx context.Context) *request {
	r, _ := ctx.Value(requestKey{}).(*request)
	if r == nil {
		r = &request{}
	}
	return r
}

// instanceOf names the request, as the log and problems do.
func instanceOf(ctx context.Context) string {
	id := requestOf(ctx).id
	if id == uuid.Nil {
		return ""
	}
	return "urn:uuid:" + id.String()
}

// observe gives each request an id, measures it, logs what failed inside, and turns a panic into a problem.
func (s *server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req := &request{id: uuid.Must(uuid.NewV7()), from: clientAddress(r, s.Proxies)}
		ctx := context.WithValue(r.Context(), requestKey{}, req)
		ctx = context.WithValue(ctx, chi.RouteCtxKey, routeContext(r))
		r = r.WithContext(ctx)
		w.Header().Set("X-Request-Id", req.id.String())
		rec := &recorder{ResponseWriter: w}
		began := time.Now()
		defer func() {
			if cause := recover(); cause != nil {
				s.panicked(rec, r, cause)
			}
			route := chi.RouteContext(ctx).RoutePattern()
			s.metrics.seen(r.Method, route, rec.code(), time.Since(began))
			if rec.code() >= http.StatusInternalServerError {
				s.Log.ErrorContext(ctx, "request failed", "request", req.id, "method", r.Method, "route", route, "status", rec.code(), "error", req.cause)
			}
		}()
		next.ServeHTTP(rec, r)
	})
}

func (s *server) panicked(rec *recorder, r *http.Request, cause any) {
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(cause)
	}
	s.Log.ErrorContext(r.Context(), "panic", "request", requestOf(r.Context()).id, "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
	if rec.status == 0 {
		writeProblem(rec, r, fault.New(fault.Internal, "panic", "Something went wrong inside Pawl; the log has the details under this request's id."))
	}
}

// recorder notes the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the status.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write notes that the status was 200 when nobody set one.
func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return r.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController find the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) code() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}

// readBody reads a JSON body of at most max bytes, nil for an empty one, and checks its text, so that what follows never
// sees broken JSON, nor what its decoders are lenient with: members that stand there twice, bytes that are no UTF-8, lone
// surrogates.
func readBody(w http.ResponseWriter, r *http.Request, max int64) (*canon.Value, error) {
	b, err := readAll(w, r, max)
	if err != nil {
		return nil, bodyFault(err, max)
	}
	r.Body = io.NopCloser(bytes.NewReader(b))
	if len(b) == 0 {
		return nil, nil
	}
	if err := jsonType(r.Header.Get("Content-Type")); err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	v, problems := canon.Parse(b, canon.Limits{Bytes: len(b), Depth: bodyDepth})
	return v, problems.Err()
}

// isLimit says whether a text is refused for its size alone: its depth, its numbers, its count of values.
func isLimit(err error) bool {
	var list fault.List
	return errors.As(err, &list) && !slices.ContainsFunc(list, func(e *fault.Error) bool { return e.Kind != fault.Limit })
}

// readAll reads a body of at most max bytes within bodyTimeout.
func readAll(w http.ResponseWriter, r *http.Request, max int64) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout)) // not every writer has deadlines
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, max))
	if err == nil {
		_ = control.SetReadDeadline(time.Time{})
	}
	return b, err
}

// noBody makes sure that a write which takes no body got none, or an empty object, so that nobody believes that what was
// sent had counted.
func noBody(w http.ResponseWriter, r *http.Request) error {
	if routeMethod(r) != http.MethodGet {
		b, err := readAll(w, r, noBodyMax)
		if text := strings.TrimSpace(string(b)); err != nil || (text != "" && text != "{}") {
			return fault.New(fault.InvalidInput, "body", "This address takes no body: send the request without one.").Because(err)
		}
	}
	r.Body = http.NoBody
	return nil
}

func bodyFault(err error, max int64) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return fault.New(fault.TooLarge, "body", "The body is larger than %d bytes, the most that is taken here.", max).With("limit", max)
	}
	return fault.New(fault.InvalidInput, reasonBody, "The body broke off before its end.").Because(err)
}

func jsonType(contentType string) error {
	media, _, err := mime.ParseMediaType(contentType)
	if contentType == "" || (err == nil && (media == "application/json" || strings.HasSuffix(media, "+json"))) {
		return nil
	}
	return fault.New(fault.InvalidInput, reasonMediaType, "The body must be JSON: send it with Content-Type: application/json.")
}
