package inprocess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

func client(h http.HandlerFunc) *http.Client {
	t := &Transport{}
	t.Set(h)
	return &http.Client{Transport: t}
}

func TestRequestAndResponse(t *testing.T) {
	c := client(func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", fmt.Sprint(r.Method, " ", r.RequestURI, " ", r.URL.Host, r.Host, " ", r.ProtoMajor))
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "got %s", sent)
	})
	response, err := c.Post("https://api/path?q=1", "text/plain", strings.NewReader("tea"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || string(text) != "got tea" || response.StatusCode != http.StatusTeapot {
		t.Errorf("%v %q %v", response.Status, text, err)
	}
	if seen := response.Header.Get("X-Seen"); seen != "POST /path?q=1 api 2" {
		t.Errorf("the handler saw %q", seen)
	}
}

func TestStreamEndsWhenItsReaderGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		c := client(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintln(w, "first")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			close(ended)
		})
		response, err := c.Get("https://api/watch")
		if err != nil {
			t.Fatal(err)
		}
		line := make([]byte, 6)
		if _, err := io.ReadFull(response.Body, line); err != nil || string(line) != "first\n" {
			t.Fatalf("%q, %v", line, err)
		}
		response.Body.Close()
		<-ended
	})
}

func TestCancelledBeforeAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := client(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		r, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://api/", nil)
		go func() { synctest.Wait(); cancel() }()
		if _, err := c.Do(r); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want cancelled", err)
		}
		synctest.Wait()
	})
}

func TestPanicIsAnError(t *testing.T) {
	c := client(func(http.ResponseWriter, *http.Request) { panic("oh") })
	response, err := c.Get("https://api/")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.ReadAll(response.Body); response.StatusCode != 500 || err == nil {
		t.Errorf("%s, %v", response.Status, err)
	}
}

func TestBeforeSet(t *testing.T) {
	if _, err := (&http.Client{Transport: &Transport{}}).Get("https://api/"); !errors.Is(err, ErrNoHandler) {
		t.Errorf("got %v", err)
	}
}

func TestLargeBodyWaitsForItsReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const chunk, chunks = 1000, 1000 // more than bodySize
		written := 0
		c := client(func(w http.ResponseWriter, r *http.Request) {
			for range chunks {
				n, err := w.Write(make([]byte, chunk))
				if err != nil {
					t.Error(err)
				}
				written += n
			}
		})
		response, err := c.Get("https://api/")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		synctest.Wait()
		if written > bodySize {
			t.Errorf("%d bytes were written before anything was read", written)
		}
		if n, err := io.Copy(io.Discard, response.Body); n != chunk*chunks || err != nil {
			t.Errorf("read %d bytes, %v", n, err)
		}
	})
}

func TestWriterLearnsThatItsReaderHasGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := make(chan error, 1)
		c := client(func(w http.ResponseWriter, r *http.Request) {
			_, err := w.Write(make([]byte, 2*bodySize))
			got <- err
		})
		response, err := c.Get("https://api/")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		response.Body.Close()
		if err := <-got; !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("got %v", err)
		}
	})
}

func TestCancelledResponseIsNotWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "half")
			<-r.Context().Done()
		})
		ctx, cancel := context.WithCancel(t.Context())
		r, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://api/", nil)
		response, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		cancel()
		if text, err := io.ReadAll(response.Body); string(text) != "half" || !errors.Is(err, context.Canceled) {
			t.Errorf("%q, %v", text, err)
		}
	})
}

func TestAbortedResponseIsNotWhole(t *testing.T) {
	c := client(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "half")
		panic(http.ErrAbortHandler)
	})
	response, err := c.Get("https://api/")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.ReadAll(response.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// TestUnset: what is under way ends as on a connection that breaks, what comes is refused, and the next handler has
// nothing of it.
func TestUnset(t *testing.T) {
	transport := &Transport{}
	c := &http.Client{Transport: transport}
	transport.Set(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "half")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	response, err := c.Get("https://api/")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	cut := transport.Unset()
	if _, err := c.Get("https://api/"); !errors.Is(err, ErrNoHandler) {
		t.Error(err)
	}
	transport.Set(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "next") }))
	cut()
	if text, err := io.ReadAll(response.Body); string(text) != "half" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", text, err)
	}
	next, err := c.Get("https://api/")
	if err != nil {
		t.Fatal(err)
	}
	defer next.Body.Close()
	if text, err := io.ReadAll(next.Body); string(text) != "next" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// TestHold: who comes while there is no handler is answered by the next one, until the hold's or the request's own time
// is over.
func TestHold(t *testing.T) {
	transport := &Transport{}
	c := &http.Client{Transport: transport}
	transport.Set(http.NotFoundHandler())
	held, release := context.WithCancel(t.Context())
	transport.Hold(held)
	transport.Unset()
	short, end := context.WithCancel(t.Context())
	end()
	r, err := http.NewRequestWithContext(short, http.MethodGet, "https://api/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(r); err == nil {
		t.Error("who had no time was answered")
	}
	answered := make(chan string)
	for range 3 {
		go func() {
			response, err := c.Get("https://api/")
			if err != nil {
				answered <- err.Error()
				return
			}
			defer response.Body.Close()
			text, _ := io.ReadAll(response.Body)
			answered <- string(text)
		}()
	}
	transport.Set(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "next") }))
	for range 3 {
		if got := <-answered; got != "next" {
			t.Error(got)
		}
	}
	transport.Unset()
	if _, err := c.Get("https://api/"); !errors.Is(err, ErrNoHandler) {
		t.Errorf("the hold is over: %v", err)
	}
	transport.Hold(held)
	release()
	if _, err := c.Get("https://api/"); !errors.Is(err, ErrNoHandler) {
		t.Errorf("the hold's time is over: %v", err)
	}
}
