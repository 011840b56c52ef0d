// The load on one tool over MCP, with nothing between it and the wire but an HTTP client or two pipes. It costs the cores
// that everything shares little, so that most of a measurement is of what is measured.
//
//	mcpload --url URL [--newest] [--method M] [--tool T] --in-flight N (--seconds S | --calls N)
//	mcpload [the same without --url] -- COMMAND ARGS…
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type answer struct {
	ID     *int64          `json:"id"`
	Error  json.RawMessage `json:"error"`
	Result *struct {
		IsError bool              `json:"isError"`
		Content []json.RawMessage `json:"content"`
		Tools   []json.RawMessage `json:"tools"`
	} `json:"result"`
}

type result struct {
	Calls     int            `json:"calls"`
	Failed    int            `json:"failed"`
	Codes     map[string]int `json:"codes"`
	PerSecond float64        `json:"perSecond"`
	ReplyP50  float64        `json:"replyP50"`
	ReplyP99  float64        `json:"replyP99"`
}

// asker sends one request with that id and waits for its answer.
type asker func(id int64, method, params string) (answer, error)

const client = `{"name":"bench","version":"1"}`

// envelope is what a request of the newest revision says of its client.
const envelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":` + client + `,"io.modelcontextprotocol/clientCapabilities":{}}`

func request(id int64, method, params string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}`, id, method, params)
}

const initialize = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":` + client + `}`
const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func overPipes(command []string) (asker, func()) {
	child := exec.Command(command[0], command[1:]...)
	in, err := child.StdinPipe()
	if err != nil {
		log.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		log.Fatal(err)
	}
	if err := child.Start(); err != nil {
		log.Fatal(err)
	}
	var mutex sync.Mutex
	waiting := map[int64]chan answer{}
	go func() {
		reader := bufio.NewReaderSize(out, 1<<16)
		for {
			line, err := reader.ReadBytes('\n')
			if err != nil {
				return
			}
			var got answer
			if json.Unmarshal(line, &got) != nil || got.ID == nil {
				continue
			}
			mutex.Lock()
			channel := waiting[*got.ID]
			delete(waiting, *got.ID)
			mutex.Unlock()
			if channel != nil {
				channel <- got
			}
		}
	}()
	write := func(message []byte) error {
		_, err := in.Write(append(message, '\n'))
		return err
	}
	ask := func(id int64, method, params string) (answer, error) {
		channel := make(chan answer, 1)
		mutex.Lock()
		waiting[id] = channel
		err := write(request(id, method, params))
		mutex.Unlock()
		if err != nil {
			return answer{}, err
		}
		return <-channel, nil
	}
	if _, err := ask(0, "initialize", initialize); err != nil {
		log.Fatal(err)
	}
	if err := write([]byte(initialized)); err != nil {
		log.Fatal(err)
	}
	return ask, func() {
		in.Close()
		if err := child.Wait(); err != nil {
			log.Fatal(err)
		}
	}
}

func overHTTP(url string, inFlight int, newest bool, name string) (asker, func()) {
	transport := &http.Transport{MaxIdleConnsPerHost: inFlight, MaxConnsPerHost: inFlight}
	plain := &http.Client{Transport: transport}
	session := ""
	post := func(method string, body []byte) (*http.Response, error) {
		message, err := http.NewRequest("POST", url, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		message.Header.Set("Content-Type", "application/json")
		message.Header.Set("Accept", "application/json, text/event-stream")
		if newest {
			message.Header.Set("MCP-Protocol-Version", "2026-07-28")
			message.Header.Set("Mcp-Method", method)
			if method == "tools/call" {
				message.Header.Set("Mcp-Name", name)
			}
		} else if session != "" {
			message.Header.Set("MCP-Protocol-Version", "2025-11-25")
			message.Header.Set("Mcp-Session-Id", session)
		}
		return plain.Do(message)
	}
	ask := func(id int64, method, params string) (answer, error) {
		response, err := post(method, request(id, method, params))
		if err != nil {
			return answer{}, err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return answer{}, err
		}
		if response.StatusCode != 200 {
			return answer{}, fmt.Errorf("HTTP %d: %s", response.StatusCode, body)
		}
		if method == "initialize" {
			session = response.Header.Get("Mcp-Session-Id")
		}
		for line := range bytes.SplitSeq(body, []byte("\n")) {
			var got answer
			if json.Unmarshal(bytes.TrimPrefix(line, []byte("data: ")), &got) == nil && got.ID != nil && *got.ID == id {
				return got, nil
			}
		}
		return answer{}, fmt.Errorf("no answer in %q", body)
	}
	if !newest {
		if _, err := ask(0, "initialize", initialize); err != nil {
			log.Fatal(err)
		}
		response, err := post("notifications/initialized", []byte(initialized))
		if err != nil {
			log.Fatal(err)
		}
		response.Body.Close()
	}
	return ask, transport.CloseIdleConnections
}

// quantile gives the value below which that part of the numbers lies, in milliseconds.
func quantile(durations []time.Duration, part float64) float64 {
	if len(durations) == 0 {
		return 0
	}
	slices.Sort(durations)
	at := min(len(durations)-1, int(math.Floor(float64(len(durations))*part)))
	return float64(durations[at].Nanoseconds()) / 1e6
}

// drive calls once, inFlight at a time, with ids that go on from sent, that often or for so many seconds.
func drive(inFlight int, sent *atomic.Int64, limit int64, seconds float64, once func(id int64)) {
	var started atomic.Int64
	var callers sync.WaitGroup
	startedAt := time.Now()
	for range inFlight {
		callers.Go(func() {
			for started.Add(1) <= limit && time.Since(startedAt).Seconds() < seconds {
				once(sent.Add(1))
			}
		})
	}
	callers.Wait()
}

func main() {
	url := flag.String("url", "", "where it is served over HTTP")
	newest := flag.Bool("newest", false, "speak 2026-07-28, without a session")
	method := flag.String("method", "tools/call", "what is asked")
	tool := flag.String("tool", "", "which tool is called")
	inFlight := flag.Int("in-flight", 1, "requests at a time")
	seconds := flag.Float64("seconds", math.Inf(1), "for how long")
	limit := flag.Int64("calls", math.MaxInt64, "how many")
	warm := flag.Int64("warm", 0, "how many more before them, which do not count")
	flag.Parse()

	var ask asker
	var end func()
	if *url != "" {
		ask, end = overHTTP(*url, *inFlight, *newest, *tool)
	} else {
		ask, end = overPipes(flag.Args())
	}
	var members []string
	if *method == "tools/call" {
		members = append(members, `"name":`+strconv.Quote(*tool), `"arguments":{}`)
	}
	if *newest {
		members = append(members, envelope)
	}
	params := "{" + strings.Join(members, ",") + "}"

	var sent atomic.Int64
	drive(*inFlight, &sent, *warm, math.Inf(1), func(id int64) {
		if _, err := ask(id, *method, params); err != nil {
			log.Fatal(err)
		}
	})

	seen := result{Codes: map[string]int{}}
	var replies []time.Duration
	var mutex sync.Mutex
	startedAt := time.Now()
	drive(*inFlight, &sent, *limit, *seconds, func(id int64) {
		sentAt := time.Now()
		got, err := ask(id, *method, params)
		if err != nil {
			log.Fatal(err)
		}
		took := time.Since(sentAt)
		mutex.Lock()
		defer mutex.Unlock()
		replies = append(replies, took)
		seen.Calls++
		if got.Result == nil || got.Result.IsError || len(got.Result.Content)+len(got.Result.Tools) == 0 {
			seen.Failed++
			reason := string(got.Error)
			if got.Result != nil && len(got.Result.Content) > 0 {
				reason = string(got.Result.Content[0])
			}
			seen.Codes[reason]++
		}
	})
	elapsed := time.Since(startedAt).Seconds()
	end()

	seen.PerSecond = float64(seen.Calls-seen.Failed) / elapsed
	seen.ReplyP50, seen.ReplyP99 = quantile(replies, 0.5), quantile(replies, 0.99)
	if err := json.NewEncoder(os.Stdout).Encode(seen); err != nil {
		log.Fatal(err)
	}
}
