import { type RefObject, useLayoutEffect, useState } from 'react'

/** Beyond the window, in CSS pixels: what is scrolled to is there before it is seen. */
const MARGIN = 300

interface Near {
  readonly isNear: boolean
  /** It is, or was. */
  readonly wasNear: boolean
}

/** Whether an element is in the window or close to it: drawing what nobody sees can wait. */
export function useNear(element: RefObject<Element | null>): Near {
  const [near, setNear] = useState<Near>({ isNear: false, wasNear: false })
  useLayoutEffect(() => {
    const place = element.current
    if (!place) return
    const tell = (isNear: boolean) =>
      setNear((before) => (before.isNear === isNear ? before : { isNear, wasNear: before.wasNear || isNear }))
    const { top, bottom } = place.getBoundingClientRect()
    tell(bottom > -MARGIN && top < innerHeight + MARGIN)
    const observer = new IntersectionObserver((entries) => tell(entries.at(-1)?.isIntersecting ?? false), {
      rootMargin: `${MARGIN}px`,
    })
    observer.observe(place)
    return () => observer.disconnect()
  }, [element])
  return near
}
