package jsx

import (
	"encoding/json"
	"errors"
	"fmt"
	"syscall/js"

	"github.com/hack-pad/safejs"
)

// Value is a JavaScript value. Its methods return an error where JavaScript would throw.
type Value = safejs.Value

// Global is the property name of globalThis; an error if there is none.
func Global(name string) (Value, error) {
	v, err := safejs.Global().Get(name)
	if err != nil {
		return Value{}, fmt.Errorf("globalThis.%s: %w", name, err)
	}
	if v.IsUndefined() {
		return Value{}, fmt.Errorf("globalThis.%s is not defined", name)
	}
	return v, nil
}

// Field is the property name of v; an error if there is none.
func Field(v Value, name string) (Value, error) {
	f, err := v.Get(name)
	if err != nil {
		return Value{}, fmt.Errorf("read property %q: %w", name, err)
	}
	if f.IsUndefined() {
		return Value{}, fmt.Errorf("property %q is missing", name)
	}
	return f, nil
}

// Bytes copies a Uint8Array.
func Bytes(v Value) ([]byte, error) {
	n, err := v.Length()
	if err != nil {
		return nil, fmt.Errorf("read bytes: %w", err)
	}
	b := make([]byte, n)
	if _, err := safejs.CopyBytesToGo(b, v); err != nil {
		return nil, fmt.Errorf("read bytes: %w", err)
	}
	return b, nil
}

// Uint8Array copies b to a new Uint8Array with a buffer of its own.
func Uint8Array(b []byte) (Value, error) {
	class, err := Global("Uint8Array")
	if err != nil {
		return Value{}, err
	}
	v, err := class.New(len(b))
	if err != nil {
		return Value{}, fmt.Errorf("make Uint8Array: %w", err)
	}
	if _, err := safejs.CopyBytesToJS(v, b); err != nil {
		return Value{}, fmt.Errorf("make Uint8Array: %w", err)
	}
	return v, nil
}

// CopyToGo copies a Uint8Array into b, as much as fits, and returns how many bytes that were.
func CopyToGo(b []byte, v Value) (int, error) { return safejs.CopyBytesToGo(b, v) }

// CopyToJS copies b into a Uint8Array, as much as fits, and returns how many bytes that were.
func CopyToJS(v Value, b []byte) (int, error) { return safejs.CopyBytesToJS(v, b) }

// Unmarshal reads a plain JSON-like value into what the pointer into points to, by the rules
// of encoding/json. Undefined leaves it alone.
func Unmarshal(v Value, into any) error {
	if v.IsUndefined() {
		return nil
	}
	class, err := Global("JSON")
	if err != nil {
		return err
	}
	encoded, err := class.Call("stringify", v)
	if err != nil {
		return fmt.Errorf("read a JavaScript value: %w", err)
	}
	text, err := encoded.String()
	if err != nil {
		return fmt.Errorf("read a JavaScript value: %w", err)
	}
	return json.Unmarshal([]byte(text), into)
}

// ToJS makes a JavaScript value: []byte becomes a Uint8Array, maps and slices of any are
// walked, and anything else that is neither a basic value nor a Value goes through JSON. The
// buffers of the Uint8Arrays are returned too, to be transferred rather than copied.
func ToJS(x any) (v Value, buffers []Value, err error) {
	switch x := x.(type) {
	case Value:
		return x, nil, nil
	case nil, bool, string, int, int32, int64, uint32, float64:
		v, err = safejs.ValueOf(x)
		return v, nil, err
	case []byte:
		if v, err = Uint8Array(x); err != nil {
			return v, nil, err
		}
		buffer, err := Field(v, "buffer")
		return v, []Value{buffer}, err
	case map[string]any:
		if v, err = newOf("Object"); err != nil {
			return v, nil, err
		}
		for key, field := range x {
			f, more, err := ToJS(field)
			if err != nil {
				return v, nil, fmt.Errorf("%s: %w", key, err)
			}
			if err := v.Set(key, f); err != nil {
				return v, nil, fmt.Errorf("%s: %w", key, err)
			}
			buffers = append(buffers, more...)
		}
		return v, buffers, nil
	case []any:
		if v, err = newOf("Array"); err != nil {
			return v, nil, err
		}
		for i, element := range x {
			e, more, err := ToJS(element)
			if err != nil {
				return v, nil, fmt.Errorf("[%d]: %w", i, err)
			}
			if err := v.SetIndex(i, e); err != nil {
				return v, nil, fmt.Errorf("[%d]: %w", i, err)
			}
			buffers = append(buffers, more...)
		}
		return v, buffers, nil
	}
	text, err := json.Marshal(x)
	if err != nil {
		return Value{}, nil, err
	}
	class, err := Global("JSON")
	if err != nil {
		return Value{}, nil, err
	}
	v, err = class.Call("parse", string(text))
	return v, nil, err
}

func newOf(class string) (Value, error) {
	c, err := Global(class)
	if err != nil {
		return Value{}, err
	}
	return c.New()
}

// Exception is an error of JavaScript with a name of its own: a DOMException's says what went wrong
// ("QuotaExceededError"), its message only to people.
type Exception struct{ Name, Message string }

// Error implements error.
func (e *Exception) Error() string { return e.Message }

// ExceptionName is the name of the JavaScript error that err is or wraps, thrown or rejected; "" if it
// is none.
func ExceptionName(err error) string {
	if rejected := (*Exception)(nil); errors.As(err, &rejected) {
		return rejected.Name
	}
	if thrown := (js.Error{}); errors.As(err, &thrown) && thrown.Value.Type() == js.TypeObject {
		if name := thrown.Get("name"); name.Type() == js.TypeString {
			return name.String()
		}
	}
	return ""
}

// AsError gives a thrown or rejected value as an error: an *Exception if it has a message.
func AsError(v Value) error {
	if message, err := v.Get("message"); err == nil && !message.IsUndefined() {
		if text, err := message.String(); err == nil {
			e := &Exception{Message: text}
			if name, err := v.Get("name"); err == nil {
				e.Name, _ = name.String()
			}
			return e
		}
	}
	text, err := v.String()
	if err != nil {
		return errors.New("an unknown JavaScript error")
	}
	return errors.New(text)
}
