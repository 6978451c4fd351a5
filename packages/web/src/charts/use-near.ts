import { type RefObject, useLayoutEffect, useState } from 'react'

/** Margin around the window in CSS pixels, so that content is ready before it scrolls into view. */
const MARGIN = 300

interface Near {
  readonly isNear: boolean
  /** The element is near now, or was before. */
  readonly wasNear: boolean
}

/** Reports whether an element is in or close to the window; drawing of invisible content can wait. */
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
