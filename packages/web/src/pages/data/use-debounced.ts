import { useEffect, useRef, useState } from 'react'

/** Debounced value. The first change applies immediately; a value that keeps changing applies once it has been stable for this time. */
export function useDebounced<Value>(value: Value, milliseconds: number): Value {
  const [still, setStill] = useState(value)
  const movedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    if (Object.is(value, still)) return
    const now = performance.now()
    const moves = now - movedAt.current < milliseconds
    movedAt.current = now
    const timer = setTimeout(() => setStill(() => value), moves ? milliseconds : 0)
    return () => clearTimeout(timer)
  }, [value, still, milliseconds])
  return still
}
