import { useEffect, useRef, useState } from 'react'

/** Debounced value. The first change applies immediately; a value that keeps changing applies once it has been stable for this time. */
export function useDebounced<Value>(value: Value, milliseconds: number): Value {
  const [debounced, setDebounced] = useState(value)
  const changedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    if (Object.is(value, debounced)) return
    const now = performance.now()
    const keepsChanging = now - changedAt.current < milliseconds
    changedAt.current = now
    const timer = setTimeout(() => setDebounced(() => value), keepsChanging ? milliseconds : 0)
    return () => clearTimeout(timer)
  }, [value, debounced, milliseconds])
  return debounced
}
