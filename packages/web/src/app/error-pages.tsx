import { type ErrorComponentProps, Link, useLocation } from '@tanstack/react-router'
import { ErrorNotice } from '../components/boundary'
import { EmptyState, PageHeader } from '../components/panel'
import { shell } from '../text/shell'
import { useText } from '../text/use-text'

/** Page for an unknown address. */
export function NotFoundPage() {
  const t = useText(shell)
  const { pathname } = useLocation()
  return (
    <>
      <PageHeader title={t('notFound.title')} />
      <EmptyState title={t('notFound.text', { path: pathname })}>
        <Link to="/">{t('nav.home')}</Link>
      </EmptyState>
    </>
  )
}

/** Page for an error of a whole page; the navigation still works. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  return <ErrorNotice error={error} onRetry={reset} />
}
