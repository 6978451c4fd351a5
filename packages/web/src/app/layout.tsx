import { Link, Outlet, useLocation, useMatchRoute } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../components/button'
import { Icon, type IconName } from '../components/icon'
import { Skeleton } from '../components/skeleton'
import { shell } from '../text/shell'
import { useText } from '../text/use-text'
import { useConnection } from './connection'
import { ConnectionNotice } from './connection-notice'
import styles from './layout.module.css'
import { useLiveLists } from './live'
import { PreferencesBar } from './preferences-bar'

const LoginPage = lazy(async () => ({ default: (await import('../pages/login/login-page')).LoginPage }))

const NAVIGATION = [
  { to: '/', icon: 'home', text: 'nav.home' },
  { to: '/data', icon: 'data', text: 'nav.data' },
  { to: '/train', icon: 'train', text: 'nav.train' },
  { to: '/runs', icon: 'runs', text: 'nav.runs' },
  { to: '/workflows', icon: 'workflow', text: 'nav.workflows' },
  { to: '/studies', icon: 'study', text: 'nav.studies' },
  { to: '/models', icon: 'model', text: 'nav.models' },
  { to: '/system', icon: 'system', text: 'nav.system' },
] as const satisfies readonly {
  to: string
  icon: IconName
  text: string
}[]

/** Frame of every page: navigation, current location and connection state. */
export function Layout() {
  const t = useText(shell)
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const isEditor = useMatchRoute()({ to: '/workflows/$workflowId' }) !== false
  const isLoggedOut = useConnection() === 'unauthorized'
  useFocusOnNewPage(main, pathname)
  useLiveLists()
  return (
    <div className={styles.frame} data-rail={isEditor}>
      <a className={styles.skip} href="#main">
        {t('skip')}
      </a>
      <Navigation key={pathname} />
      <div className={styles.content}>
        <ConnectionNotice />
        <main id="main" ref={main} tabIndex={-1} className={styles.main}>
          <Suspense key={isLoggedOut ? 'login' : 'page'} fallback={<Skeleton height={20} />}>
            {isLoggedOut ? <LoginPage /> : <Outlet />}
          </Suspense>
        </main>
      </div>
    </div>
  )
}

/** On a narrow window the navigation collapses behind a button; a page change collapses it again. */
function Navigation() {
  const t = useText(shell)
  const [open, setOpen] = useState(false)
  const list = useId()
  return (
    <header className={styles.side}>
      <div className={styles.brand}>
        <Link to="/" className={styles.name}>
          <img src={new URL('./icon.svg', import.meta.url).href} alt="" width="26" height="26" />
          <span className={styles.label}>Medloom</span>
        </Link>
        <div className={styles.toggle}>
          <Button
            kind="quiet"
            icon={open ? 'close' : 'menu'}
            aria-expanded={open}
            aria-controls={list}
            onPress={() => setOpen(!open)}
          >
            {t('menu')}
          </Button>
        </div>
      </div>
      <div id={list} className={styles.collapsible} data-open={open}>
        <nav aria-label={t('nav')}>
          <ul className={styles.links}>
            {NAVIGATION.map(({ to, icon, text }) => (
              <li key={to}>
                <Link
                  to={to}
                  className={styles.link}
                  title={t(text)}
                  activeOptions={{ exact: to === '/', includeSearch: false }}
                >
                  <Icon name={icon} />
                  <span className={styles.label}>{t(text)}</span>
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className={styles.preferences}>
          <PreferencesBar />
        </div>
      </div>
    </header>
  )
}

/** After a page change, screen readers and the keyboard continue at the start of the new page, not at the link. */
function useFocusOnNewPage(main: React.RefObject<HTMLElement | null>, pathname: string): void {
  const last = useRef(pathname)
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    main.current?.focus({ preventScroll: true })
  }, [main, pathname])
}
