// The least a Go programmer would write to serve one program's commands over NATS: a micro service with eight slots, an
// acknowledgement, os/exec with both streams in one pipe, one reply. It checks nothing. It is what the benchmarks compare
// fisk with, and no example to follow.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"github.com/nats-io/nuid"
)

const namespace = "io.choria.fisk-ai.v1."

type party struct {
	Name string `json:"name"`
}

type header struct {
	Protocol     string `json:"protocol"`
	ID           string `json:"id"`
	Request      string `json:"request"`
	Conversation string `json:"conversation"`
	Sequence     int    `json:"sequence"`
	Time         string `json:"time"`
	Sender       party  `json:"sender"`
	Recipient    *party `json:"recipient,omitempty"`
}

type toolRequest struct {
	header
	Name  string         `json:"name"`
	Input map[string]any `json:"input"`
}

type ack struct {
	header
	Accepted bool   `json:"accepted"`
	Reason   string `json:"reason,omitempty"`
}

type execution struct {
	Command  string `json:"command"`
	ExitCode int    `json:"exit_code,omitempty"`
}

type toolReply struct {
	header
	IsError bool       `json:"is_error,omitempty"`
	Code    string     `json:"code,omitempty"`
	Output  string     `json:"output,omitempty"`
	Exec    *execution `json:"exec,omitempty"`
}

func main() {
	server := flag.String("server", nats.DefaultURL, "NATS server")
	identity := flag.String("identity", "baseline", "name of the service")
	application := flag.String("application", "", "program to run")
	flag.Parse()

	nc, err := nats.Connect(*server)
	if err != nil {
		log.Fatal(err)
	}
	service, err := micro.AddService(nc, micro.Config{Name: *identity, Version: "0.0.0", QueueGroup: *identity})
	if err != nil {
		log.Fatal(err)
	}

	slots := make(chan struct{}, 8)
	answer := func(request toolRequest, suffix string, sequence int) header {
		return header{
			Protocol: namespace + suffix, ID: nuid.Next(), Request: request.Request, Conversation: request.Conversation,
			Sequence: sequence, Time: time.Now().UTC().Format(time.RFC3339Nano),
			Sender: party{*identity}, Recipient: &party{request.Sender.Name},
		}
	}
	final := micro.WithHeaders(micro.Headers{"Fisk-AI-Stream-Final": []string{"true"}})

	handler := func(message micro.Request) {
		var request toolRequest
		if err := json.Unmarshal(message.Data(), &request); err != nil {
			message.Error("400", err.Error(), nil)
			return
		}
		select {
		case slots <- struct{}{}:
		default:
			message.RespondJSON(ack{answer(request, "ack", 1), false, "busy"})
			refusal := toolReply{header: answer(request, "tool.reply", 2), IsError: true, Code: "capacity"}
			message.RespondJSON(refusal, final)
			return
		}
		message.RespondJSON(ack{answer(request, "ack", 1), true, ""})
		go func() {
			defer func() { <-slots }()
			args := strings.Split(request.Name, "_")
			for name, value := range request.Input {
				text, _ := json.Marshal(value)
				args = append(args, "--"+name+"="+string(text))
			}
			command := exec.Command(*application, args...)
			var output bytes.Buffer
			command.Stdout = &output
			command.Stderr = &output
			err := command.Run()
			reply := toolReply{header: answer(request, "tool.reply", 2)}
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				reply.IsError, reply.Output = true, err.Error()
			} else {
				reply.Output = output.String()
				reply.Exec = &execution{strings.Join(args, " "), command.ProcessState.ExitCode()}
			}
			message.RespondJSON(reply, final)
		}()
	}
	err = service.AddEndpoint("tool", micro.HandlerFunc(handler), micro.WithEndpointSubject("choria.fisk-ai.tool."+*identity))
	if err != nil {
		log.Fatal(err)
	}
	nc.Flush()
	log.Print("ready")

	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	<-stop
	service.Stop()
	nc.Close()
}
