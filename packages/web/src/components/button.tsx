import { createLink, type LinkComponentProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import {
  Button as AriaButton,
  type ButtonProps as AriaButtonProps,
  Link as AriaLink,
} from 'react-aria-components'
import styles from './button.module.css'
import { Icon, type IconName } from './icon'

type Kind = 'primary' | 'plain' | 'quiet' | 'danger'

export interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className'> {
  /** primary: the main action of the page. quiet: without a border, in rows and toolbars. */
  readonly kind?: Kind
  readonly icon?: IconName
  readonly children?: ReactNode
}

/** Performs an action. Use a link for navigation. A button without text needs an aria-label. */
export function Button({ kind = 'plain', icon, children, ...props }: ButtonProps) {
  return (
    <AriaButton {...props} className={styles.button ?? ''} data-kind={kind}>
      {icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </AriaButton>
  )
}

const RouterLink = createLink(AriaLink)

/** Link to a page of the application that looks like a button, for the next step of a task. */
export function LinkButton({
  kind = 'plain',
  icon,
  children,
  ...props
}: LinkComponentProps<typeof AriaLink> & { readonly kind?: Kind; readonly icon?: IconName }) {
  return (
    <RouterLink {...props} className={styles.button ?? ''} data-kind={kind}>
      {icon && <Icon name={icon} />}
      <span>{children as ReactNode}</span>
    </RouterLink>
  )
}

/** Link to a file that looks like a button; the router does not serve files. */
export function FileLink({
  href,
  icon = 'download',
  kind = 'plain',
  children,
}: {
  readonly href: string
  readonly icon?: IconName
  readonly kind?: Kind
  readonly children: ReactNode
}) {
  return (
    <AriaLink href={href} target="_blank" rel="noreferrer" className={styles.button ?? ''} data-kind={kind}>
      <Icon name={icon} />
      <span>{children}</span>
    </AriaLink>
  )
}
