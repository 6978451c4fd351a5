import { useEffect, useRef, useState } from 'react'

/** A value that follows at once, but while it keeps changing waits until it has not for so long: what one passes by is not asked for. */
export function useStill<Value>(value: Value, milliseconds: number): Value {
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
