# shellcheck shell=bash
# The origin of scripts/bench, scripts/cost and scripts/calls: nginx on loopback. Sourced after setup.sh.
# shellcheck disable=SC2154  # note comes from setup.sh

nginx=
origin=

# Starts nginx on a free loopback port, whose files are those of FOLDER/files, and sets $origin.
start_nginx() { # start_nginx FOLDER
    local folder="$1" program tries port waits
    program="$(command -v nginx || echo /usr/sbin/nginx)"
    mkdir -p "$folder/files"
    for ((tries = 0; tries < 20; tries++)); do
        port=$((20000 + RANDOM % 20000))
        # Somebody is there already.
        ! (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || continue
        write_nginx_configuration "$folder" "$port"
        "$program" -p "$folder" -c "$folder/nginx.conf" -e stderr >"$folder/nginx.log" 2>&1 </dev/null &
        nginx=$!
        for ((waits = 0; waits < 100; waits++)); do
            if [ -s "$folder/nginx.pid" ] && (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
                origin="http://127.0.0.1:$port/"
                return 0
            fi
            kill -0 "$nginx" 2>/dev/null || break
            sleep 0.05
        done
        stop_nginx
    done
    cat "$folder/nginx.log" >&2
    note "nginx did not start"
    return 1
}

stop_nginx() {
    [ -n "$nginx" ] || return 0
    kill "$nginx" 2>/dev/null || true
    wait "$nginx" 2>/dev/null || true
    nginx=
}

write_nginx_configuration() { # write_nginx_configuration FOLDER PORT
    {
        # As root it would serve as another user, who may not read here.
        [ "$(id -u)" != 0 ] || echo "user root;"
        cat <<CONFIGURATION
daemon off;
worker_processes 1;
pid $1/nginx.pid;
error_log stderr error;
events { worker_connections 512; }
http {
    access_log off;
    sendfile on;
    tcp_nopush on;
    tcp_nodelay on;
    keepalive_requests 100000000;
    open_file_cache max=16;
    types { application/json json; }
    default_type application/octet-stream;
    client_body_temp_path $1/nginx-body;
    proxy_temp_path $1/nginx-proxy;
    fastcgi_temp_path $1/nginx-fastcgi;
    uwsgi_temp_path $1/nginx-uwsgi;
    scgi_temp_path $1/nginx-scgi;
    server {
        listen 127.0.0.1:$2;
        root $1/files;
    }
}
CONFIGURATION
    } >"$1/nginx.conf"
}
