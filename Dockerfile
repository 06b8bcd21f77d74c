# Build: compiles better-sqlite3 and bundles the server. Nothing of it but the result reaches the image below.
FROM node:22-bookworm-slim AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 make g++ \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

# Run: the built server, its roles and production packages, owned by root and only read by the server.
FROM node:22-bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git \
 && rm -rf /var/lib/apt/lists/* \
 && mkdir /data && chown node:node /data && chmod 0700 /data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/roles ./roles
COPY --from=build /app/dist ./dist
# Every address of the container, so that a published port reaches it: the server then insists on an API key.
ENV NODE_ENV=production \
    TROUPE_HOST=0.0.0.0 \
    TROUPE_PORT=8787 \
    TROUPE_STATE_DIR=/data \
    TROUPE_API_KEY_FILE=/data/api-key
USER node
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.TROUPE_PORT+'/livez',{signal:AbortSignal.timeout(4000)}).then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
CMD ["node", "dist/bin/server.js"]
