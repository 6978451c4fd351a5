import { type ErrorComponentProps, Link, useLocation } from '@tanstack/react-router'
import { Broken } from '../components/boundary'
import { Empty, PageHead } from '../components/panel'
import { shell } from '../text/shell'
import { useText } from '../text/use-text'

/** Page for an unknown address. */
export function NotFoundPage() {
  const t = useText(shell)
  const { pathname } = useLocation()
  return (
    <>
      <PageHead title={t('notFound.title')} />
      <Empty title={t('notFound.text', { path: pathname })}>
        <Link to="/">{t('nav.home')}</Link>
      </Empty>
    </>
  )
}

/** Page for an error of a whole page; the navigation still works. */
export function BrokenPage({ error, reset }: ErrorComponentProps) {
  return <Broken error={error} onRetry={reset} />
}
