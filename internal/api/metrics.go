package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

type metrics struct {
	seconds *prometheus.HistogramVec
	handler http.Handler
}

func newMetrics(reg *prometheus.Registry) (*metrics, error) {
	m := &metrics{
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "pawl_http_request_seconds", Help: "Duration of requests to the API, by route.",
			Buckets: []float64{.005, .02, .1, .5, 2, 10},
		}, []string{"method", "route", "status"}),
		handler: promhttp.HandlerFor(reg, promhttp.HandlerOpts{}),
	}
	return m, reg.Register(m.seconds)
}

// seen counts a request. Requests that matched no route share one label, so that strangers can't make labels.
func (m *metrics) seen(method, route string, status int, took time.Duration) {
	if route == "" {
		method, route = "other", "none"
	}
	m.seconds.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}
