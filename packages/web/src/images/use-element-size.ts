import { type RefObject, useEffect, useState } from 'react'
import type { Size } from './viewport'

/** Current size of an element. */
export function useElementSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 1, height: 1 })
  useEffect(() => {
    const target = element.current
    if (!target) return
    const observer = new ResizeObserver(() =>
      setSize({ width: Math.max(1, target.clientWidth), height: Math.max(1, target.clientHeight) }),
    )
    observer.observe(target)
    return () => observer.disconnect()
  }, [element])
  return size
}
