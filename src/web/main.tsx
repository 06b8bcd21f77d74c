import { render } from 'preact';
import { App } from './app.tsx';
import { watchKeys } from './keys.ts';
import { stayConnected } from './state/live.ts';
import { keepQueries } from './state/queries.ts';
import { keepReviews } from './state/reviews.ts';

watchKeys();
keepQueries();
keepReviews();
render(<App />, document.getElementById('app') as HTMLElement);
void stayConnected();
