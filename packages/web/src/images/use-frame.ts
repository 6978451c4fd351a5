import { type RefObject, useEffect, useState } from 'react'
import type { Size } from './viewport'

/** Current size of an element. */
export function useFrame(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 1, height: 1 })
  useEffect(() => {
    const watched = element.current
    if (!watched) return
    const observer = new ResizeObserver(() =>
      setSize({ width: Math.max(1, watched.clientWidth), height: Math.max(1, watched.clientHeight) }),
    )
    observer.observe(watched)
    return () => observer.disconnect()
  }, [element])
  return size
}
