kubectl create deployment web --image=nginx
