package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ticks is the kernel's clock in hertz that /proc counts in (proc(5); 100 on every Linux that Go runs on).
const ticks = 100

// familyTime is the processor time of a process and of its children, living and waited for.
func familyTime(pid int) time.Duration {
	total := statTime(pid)
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range all {
		child, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if err == nil && parentOf(child) == pid {
			total += statTime(child)
		}
	}
	return total
}

// fields are those of /proc/PID/stat behind the name, which may hold anything.
func fields(pid int) []string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	s := string(b)
	return strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
}

func parentOf(pid int) int {
	f := fields(pid)
	if len(f) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(f[1])
	return n
}

// statTime adds user and system time, with that of children that were waited for.
func statTime(pid int) time.Duration {
	f := fields(pid)
	if len(f) < 15 {
		return 0
	}
	var sum int64
	for _, s := range f[11:15] {
		n, _ := strconv.ParseInt(s, 10, 64)
		sum += n
	}
	return time.Duration(sum) * time.Second / ticks
}

// residentMB is the resident memory of a process in megabytes.
func residentMB(pid int) float64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return n / 1024
		}
	}
	return 0
}
