package nginx

// Files are the image's own files by path, without what is a link or a directory.
func Files() map[string]string {
	return map[string]string{
		"/etc/nginx/nginx.conf":            nginxConf,
		"/etc/nginx/conf.d/default.conf":   defaultConf,
		"/etc/nginx/mime.types":            mimeTypes,
		"/usr/share/nginx/html/index.html": welcome,
		"/usr/share/nginx/html/50x.html":   sorry,
	}
}

const nginxConf = `user  nginx;
worker_processes  auto;

error_log  /var/log/nginx/error.log notice;
pid        /run/nginx.pid;

events {
    worker_connections  1024;
}

http {
    include       /etc/nginx/mime.types;
    default_type  application/octet-stream;

    log_format  main  '$remote_addr - $remote_user [$time_local] "$request" '
                      '$status $body_bytes_sent "$http_referer" '
                      '"$http_user_agent" "$http_x_forwarded_for"';

    access_log  /var/log/nginx/access.log  main;

    include /etc/nginx/conf.d/*.conf;
}
`

const defaultConf = `server {
    listen       80;
    listen  [::]:80;
    server_name  localhost;

    location / {
        root   /usr/share/nginx/html;
        index  index.html index.htm;
    }

    error_page   500 502 503 504  /50x.html;
    location = /50x.html {
        root   /usr/share/nginx/html;
    }
}
`

const mimeTypes = `types {
    text/html                html htm shtml;
    text/css                 css;
    text/plain               txt;
    text/xml                 xml;
    text/markdown            md;
    text/vtt                 vtt;
    image/gif                gif;
    image/jpeg               jpeg jpg;
    image/png                png;
    image/svg+xml            svg svgz;
    image/webp               webp;
    image/avif               avif;
    image/x-icon             ico;
    font/woff                woff;
    font/woff2               woff2;
    application/javascript   js mjs;
    application/json         json map;
    application/wasm         wasm;
    application/pdf          pdf;
    application/zip          zip;
    application/rss+xml      rss;
    audio/mpeg               mp3;
    audio/ogg                ogg;
    video/mp4                mp4;
    video/webm               webm;
}
`

const welcome = `<!DOCTYPE html>
<html>
<head>
<title>Welcome to nginx!</title>
<style>
html { color-scheme: light dark; }
body { width: 35em; margin: 0 auto; font-family: Tahoma, Verdana, Arial, sans-serif; }
</style>
</head>
<body>
<h1>Welcome to nginx!</h1>
<p>This page comes from a container in your browser tab: the web server works.
To serve your own, mount files over <code>/usr/share/nginx/html</code>.</p>
</body>
</html>
`

const sorry = `<!DOCTYPE html>
<html>
<head>
<title>Error</title>
<style>
html { color-scheme: light dark; }
body { width: 35em; margin: 0 auto; font-family: Tahoma, Verdana, Arial, sans-serif; }
</style>
</head>
<body>
<h1>This page cannot be shown now.</h1>
<p>The error log of the server says more.</p>
</body>
</html>
`
