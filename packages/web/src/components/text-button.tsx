import type { ReactNode } from 'react'
import { Button as AriaButton, type ButtonProps } from 'react-aria-components'
import styles from './text-button.module.css'

/** Does something, and looks like a link: for words in the rows of a table, which stay as high as the others. */
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
