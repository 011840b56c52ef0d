// The load on one served tool, as bench/load.ts makes it, for machines with Go: it costs the two cores that everything
// shares a third of what the other one does, so that more of a measurement is of what is measured.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"
)

type caller struct {
	request string
	sentAt  time.Time
	acked   bool
}

type reply struct {
	Request string          `json:"request"`
	IsError bool            `json:"is_error"`
	Code    string          `json:"code"`
	Output  string          `json:"output"`
	Exec    json.RawMessage `json:"exec"`
}

type result struct {
	Calls     int            `json:"calls"`
	Failed    int            `json:"failed"`
	Codes     map[string]int `json:"codes"`
	PerSecond float64        `json:"perSecond"`
	AckP50    float64        `json:"ackP50"`
	AckP99    float64        `json:"ackP99"`
	ReplyP50  float64        `json:"replyP50"`
	ReplyP99  float64        `json:"replyP99"`
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

func main() {
	server := flag.String("server", "", "address of the NATS server")
	identity := flag.String("identity", "", "whose tool")
	tool := flag.String("tool", "", "which tool")
	input := flag.String("input", "", "arguments as JSON")
	inFlight := flag.Int("in-flight", 1, "calls at a time")
	seconds := flag.Float64("seconds", math.Inf(1), "for how long")
	limit := flag.Int("calls", math.MaxInt, "how many")
	flag.Parse()

	nc, err := nats.Connect(*server)
	if err != nil {
		log.Fatal(err)
	}
	inbox := nats.NewInbox()
	subject := "choria.fisk-ai.tool." + *identity
	run := nuid.Next()
	arguments := ""
	if *input != "" {
		arguments = `,"input":` + *input
	}

	callers := make([]caller, *inFlight)
	var acks, replies []time.Duration
	seen := result{Codes: map[string]int{}}
	started, running := 0, *inFlight
	var startedAt time.Time
	over := make(chan struct{})

	send := func(index int) {
		request := run + "-" + strconv.Itoa(started)
		started++
		body := fmt.Sprintf(
			`{"protocol":"io.choria.fisk-ai.v1.tool.request","id":"%s-m","request":"%s","conversation":"%s","sequence":0,`+
				`"time":"%s","sender":{"name":"bench"},"recipient":{"name":"%s"},"name":"%s"%s}`,
			request, request, request, time.Now().UTC().Format(time.RFC3339Nano), *identity, *tool, arguments)
		callers[index] = caller{request: request, sentAt: time.Now()}
		if err := nc.PublishRequest(subject, inbox+"."+strconv.Itoa(index), []byte(body)); err != nil {
			log.Fatal(err)
		}
	}

	_, err = nc.Subscribe(inbox+".*", func(message *nats.Msg) {
		now := time.Now()
		index, err := strconv.Atoi(message.Subject[len(inbox)+1:])
		if err != nil || index >= len(callers) {
			return
		}
		mine := &callers[index]
		refused := message.Header.Get("Nats-Service-Error-Code")
		if message.Header.Get("Status") == "503" || refused != "" {
			log.Fatalf("%s refused the request: %s", *identity, refused)
		}
		if message.Header.Get("Fisk-AI-Stream-Final") == "" {
			if !mine.acked {
				acks = append(acks, now.Sub(mine.sentAt))
			}
			mine.acked = true
			return
		}
		var got reply
		if err := json.Unmarshal(message.Data, &got); err != nil || got.Request != mine.request {
			return
		}
		replies = append(replies, now.Sub(mine.sentAt))
		seen.Calls++
		if got.IsError || got.Exec == nil || !mine.acked {
			seen.Failed++
			code := got.Code
			if code == "" {
				code = got.Output
			}
			seen.Codes[code]++
		}
		if started < *limit && now.Sub(startedAt).Seconds() < *seconds {
			send(index)
			return
		}
		running--
		if running == 0 {
			close(over)
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		log.Fatal(err)
	}

	startedAt = time.Now()
	for index := range callers {
		send(index)
	}
	<-over
	elapsed := time.Since(startedAt).Seconds()
	nc.Close()

	seen.PerSecond = float64(seen.Calls-seen.Failed) / elapsed
	seen.AckP50, seen.AckP99 = quantile(acks, 0.5), quantile(acks, 0.99)
	seen.ReplyP50, seen.ReplyP99 = quantile(replies, 0.5), quantile(replies, 0.99)
	if err := json.NewEncoder(os.Stdout).Encode(seen); err != nil {
		log.Fatal(err)
	}
}
