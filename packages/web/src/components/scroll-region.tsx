import type { ReactNode, Ref } from 'react'

/** Content larger than its container. A scrollable region must be reachable by keyboard, so it takes the focus and has a name. */
export function ScrollRegion({
  label,
  className,
  ref,
  children,
}: {
  readonly label: string
  readonly className: string | undefined
  readonly ref?: Ref<HTMLElement>
  readonly children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section ref={ref} className={className} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
