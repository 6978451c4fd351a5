import type { ReactNode } from 'react'
import { Button as AriaButton, type ButtonProps } from 'react-aria-components'
import styles from './text-button.module.css'

/** A button that looks like a link, for text in table rows, whose height must not change. */
export function TextButton({
  children,
  ...props
}: Omit<ButtonProps, 'className'> & { readonly children: ReactNode }) {
  return (
    <AriaButton {...props} className={styles.button ?? ''}>
      {children}
    </AriaButton>
  )
}
